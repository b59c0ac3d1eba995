"""The version of the package, which is that of the next release until there is one."""

__version__ = "0.1.0"


def installed_version() -> str:
    """Return the version that is installed, as setup.py has made it; `__version__` if none is.

    Examples:
        >>> installed_version().startswith(__version__)
        True
    """
    from importlib import metadata  # slow to import

    try:
        return metadata.version("kulami_solver")
    except metadata.PackageNotFoundError:
        return __version__
