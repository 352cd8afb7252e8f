#!/bin/sh
# A RUSTC_WRAPPER: compiles what reads input with the counters of libFuzzer, and everything else as it is, so that
# dependencies which were already built are used. Works with a stable compiler.
compiler=$1
shift
name=
previous=
for argument in "$@"; do
    [ "$previous" = --crate-name ] && name=$argument
    previous=$argument
done
case $name in
ocellus_* | serde_json | saphyr_parser | guided)
    exec "$compiler" "$@" -C passes=sancov-module \
        -C llvm-args=-sanitizer-coverage-level=3 \
        -C llvm-args=-sanitizer-coverage-inline-8bit-counters \
        -C llvm-args=-sanitizer-coverage-pc-table \
        -C llvm-args=-sanitizer-coverage-trace-compares
    ;;
*)
    exec "$compiler" "$@"
    ;;
esac
