"""More than one machine: work handed to the workers of a dask.distributed cluster."""
