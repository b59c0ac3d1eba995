"""Python bots from modules."""

from __future__ import annotations

import importlib
import os
import sys

from .overheard import log_exception
from .protocol import BotError


def find_in_working_folder() -> None:
    """Have Python find the modules of the working folder, as with `python -m`."""
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)


def imported_bot(module_name: str, path: str) -> object:
    """Return the bot a module has under a name; a class is instantiated.

    Raises:
        BotError: if it has none.
    """
    find_in_working_folder()
    try:
        found = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name != module_name.partition(".")[0] and error.name != module_name:
            raise BotError("module_not_imported", module=module_name, why=error) from None
        raise BotError("no_module", module=module_name) from None
    except (Exception, SystemExit) as error:
        raise _failed("module_raises", error, module=module_name) from error
    bot: object = found
    for step in path.split("."):
        if not hasattr(bot, step):
            raise BotError("module_without", module=module_name, name=path)
        bot = getattr(bot, step)
    if isinstance(bot, type):
        try:
            return bot()
        except (Exception, SystemExit) as error:
            raise _failed("bot_class_raises", error, module=module_name, name=path) from error
    return bot


def _failed(code: str, error: BaseException, **values: str) -> BotError:
    """The error for an exception of a bot's module, which is logged."""
    log_exception(error)
    said = " ".join(str(error).split())[:200]
    return BotError(code, kind=type(error).__name__, said=said, **values)
