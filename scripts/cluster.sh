#!/usr/bin/env bash
# Bring up a dask scheduler and workers for kulami --workers: bash scripts/cluster.sh
#
#   -n N             workers on this machine (one a processor), or on each HOST
#   -t N             threads of each worker (1)
#   -p PORT          of the scheduler (8786)
#   -d PORT          of the dashboard (8787)
#   --ssh "HOST..."  start the workers on these machines by ssh, in this folder, and none here;
#                    needs -l
#   -l ADDRESS       of this machine, where scheduler and workers listen; 127.0.0.1 if not given.
#                    Whoever reaches it can run programs as you: name one of a network of your own
#   --slurm          start nothing, and print a script for sbatch
#   -h, --help       print this, and do nothing
#   TTL=...          how long a worker may be silent before others do its tasks (30s)
#   PYTHON=...       a Python with kulami_solver[cluster], the same on all machines; .venv's if not
#                    given. Certificates are dask's own settings: docs/cluster.md
#
# It prints the address for --workers once a worker is there, and runs until Ctrl-C, which ends them
# all. Workers that die are started again.
set -euo pipefail
workers="" threads=1 port=8786 dashboard=8787 hosts="" listen=127.0.0.1 slurm=""
fail() {
    echo "cluster.sh: $1" >&2
    exit 2
}
number() {
    [[ $2 =~ ^[0-9]{1,5}$ ]] || fail "$1 is '$2': give a whole number"
}
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
            exit
            ;;
        --slurm) slurm=yes && shift && continue ;;
        -n | -t | -p | -d | -l | --ssh) [ $# -gt 1 ] || fail "$1 needs a value (see --help)" ;;
        *) fail "unknown option '$1' (see --help)" ;;
    esac
    case $1 in
        -n) number "$1" "$2" && workers=$2 ;;
        -t) number "$1" "$2" && threads=$2 ;;
        -p) number "$1" "$2" && port=$2 ;;
        -d) number "$1" "$2" && dashboard=$2 ;;
        -l) listen=$2 ;;
        --ssh) hosts=$2 ;;
    esac
    shift 2
done

folder=$PWD
if [ -z "${PYTHON:-}" ]; then
    PYTHON=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/.venv/bin/python
fi
[ -n "$workers" ] || workers=$(getconf _NPROCESSORS_ONLN)

# A worker's memory limit counts the pages of files that are mapped, which cost nothing: off. It
# must not be a daemon, to which Python allows no processes of its own: bots may have some.
options="--nworkers $workers --nthreads $threads --memory-limit 0 --no-dashboard"
environment="DASK_DISTRIBUTED__WORKER__DAEMON=False"
# Left alone, dask looks 50 to 100 times a second whether each process still moves, and what it is
# at: a tenth of a processor that nobody here asks for.
environment+=" DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED=False"
environment+=" DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL=500ms"
environment+=" DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL=2s"
# A worker that the scheduler has not heard of for so long is ended, and others do its tasks; dask
# alone waits for five minutes. One that only is busy tells of itself about every second.
environment+=" DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL=${TTL:-30s}"
local_directory='${TMPDIR:-/tmp}'

if [ -n "$slurm" ]; then
    cat <<SBATCH
#!/bin/bash
#SBATCH --job-name=kulami
#SBATCH --ntasks=4
#SBATCH --cpus-per-task=$((workers * threads))
#SBATCH --time=24:00:00
# One task a machine, $workers workers each; the first machine has the scheduler, too. The folder is
# to be on a file system that all of them share. Start with sbatch; then, on a machine of the same
# network:  kulami build DB --workers \$(python -c "import json; \\
#           print(json.load(open('$folder/kulami-scheduler.json'))['address'])")
cd $folder
rm -f kulami-scheduler.json
export $environment
$PYTHON -m distributed.cli.dask_scheduler --port $port --dashboard-address :$dashboard \\
    --scheduler-file kulami-scheduler.json &
until [ -s kulami-scheduler.json ]; do sleep 1; done
srun $PYTHON -m distributed.cli.dask_worker --scheduler-file kulami-scheduler.json \\
    $options --local-directory $local_directory
SBATCH
    exit
fi

"$PYTHON" -c 'import distributed, kulami_solver' 2>/dev/null || fail "$PYTHON has no \
kulami_solver with distributed: $PYTHON -m pip install 'kulami_solver[cluster]', or name another \
one: PYTHON=..."
if [ -n "$hosts" ] && [ "$listen" = 127.0.0.1 ]; then
    fail "--ssh needs -l ADDRESS, by which the other machines reach this one"
fi
address=tcp://$listen:$port
[ -z "${DASK_DISTRIBUTED__COMM__TLS__SCHEDULER__CERT:-}" ] || address=tls://$listen:$port

started=()
end() {
    trap - EXIT INT TERM
    for process in ${started[@]+"${started[@]}"}; do
        kill -TERM "$process" 2>/dev/null || true
    done
    wait
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# shellcheck disable=SC2086,SC2163  # several NAME=VALUE, to be split
export $environment
# In groups of their own, so that Ctrl-C comes to them by this script alone, workers first.
set -m
"$PYTHON" -m distributed.cli.dask_scheduler --host "$address" --port "$port" \
    --dashboard-address "$listen:$dashboard" &
scheduler=$!
if [ -n "$hosts" ]; then
    for host in $hosts; do
        # The terminal that ssh makes (-tt) ends what runs there when ssh is ended.
        ssh -tt -o BatchMode=yes "$host" "cd '$folder' && $environment exec '$PYTHON' -m \
distributed.cli.dask_worker $address $options --local-directory $local_directory" </dev/null &
        started+=($!)
    done
else
    "$PYTHON" -m distributed.cli.dask_worker "$address" $options \
        --host "$listen" --local-directory "${TMPDIR:-/tmp}" &
    started+=($!)
fi
set +m
started+=("$scheduler")
said="cluster.sh: --workers $address    dashboard http://$listen:$dashboard/status    Ctrl-C ends it"
"$PYTHON" -c 'import sys; from kulami_solver.cluster import connect
connect(sys.argv[1], timeout=60, patience=None).shutdown(); print(sys.argv[2])' "$address" "$said" &
first_worker=$!
started+=("$first_worker")
wait -n || true
kill -0 "$first_worker" 2>/dev/null || wait -n || true
echo "cluster.sh: a part of it has ended, and ends the rest" >&2
exit 1
