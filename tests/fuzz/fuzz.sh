#!/bin/sh
# Builds and runs the fuzzers; see README.md.
set -eu
cd "$(dirname "$0")"
command=${1:-} target=${2:-} amount=${3:-}
targets="paje chrome dumpi dumpi_text otf2 paraver pj_dump ftrace perf_script ctf perfetto gpu dot plist yaml manifest"
[ -n "$target" ] || { echo "fuzz.sh mutate TARGET|all COUNT | guided TARGET|all SECONDS | minimize TARGET|all" >&2; exit 2; }
[ "$target" = all ] || targets=$target
# Nothing is built below tests/, where the rules of the source tree look at every file.
build=../../target/fuzz work=../../target/fuzz/work
mkdir -p $work
# The versions of the project; cargo adds libFuzzer.
[ -f Cargo.lock ] || cp ../../Cargo.lock Cargo.lock
[ -d /dev/shm ] && export TMPDIR="${TMPDIR:-/dev/shm}"
# Inputs are small: threads would only wait for each other.
export RAYON_NUM_THREADS="${RAYON_NUM_THREADS:-1}"

build_mutate() {
    cargo build --release --bin mutate --target-dir $build
}
build_guided() {
    RUSTC_WRAPPER=$PWD/instrument.sh cargo build --release --features guided --bin guided --target-dir $build/guided
}
guided() {
    name=$1
    shift
    OCELLUS_FUZZ_TARGET=$name $build/guided/release/guided -max_len=8192 -timeout=10 -rss_limit_mb=1024 "$@"
}

case $command in
mutate)
    build_mutate
    for name in $targets; do $build/release/mutate "$name" "${amount:-1000000}" --finds $work/finds; done
    ;;
guided)
    build_mutate
    build_guided
    for name in $targets; do
        mkdir -p "$work/corpus/$name"
        # The samples, as files for libFuzzer.
        $build/release/mutate "$name" 0 --seeds "$work/corpus/$name"
        guided "$name" -max_total_time="${amount:-7200}" -artifact_prefix="$work/$name-" -print_final_stats=1 \
            "$work/corpus/$name" "corpus/$name"
    done
    ;;
minimize)
    build_guided
    for name in $targets; do
        rm -rf "$work/minimized/$name"
        mkdir -p "$work/minimized/$name"
        guided "$name" -merge=1 "$work/minimized/$name" "corpus/$name" "$work/corpus/$name"
        echo "$work/minimized/$name: choose what goes to corpus/$name"
    done
    ;;
*)
    echo "fuzz.sh: mutate, guided or minimize, got $command" >&2
    exit 2
    ;;
esac
