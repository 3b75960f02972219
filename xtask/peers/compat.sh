#!/bin/sh
# Builds every project below some folders with Rojo as it is, and with rbx_binary and rbx_xml replaced by one line each in its
# manifest, and compares the documents with `rezkit diff`: all but Workspace.FilteringEnabled, which rbx_binary does not
# write, although files have it. It is heavy: each of both takes minutes to compile.
#
#     xtask/peers/compat.sh WORK PROJECTS…     compares; WORK is a folder for sources, programs and results
#     xtask/peers/compat.sh WORK --time FILE   also builds a project ten times with each, in turn
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$1
shift
version=7.7.1
mkdir -p "$work"

if [ ! -x "$work/rojo" ]; then
    cargo install --locked --root "$work/base" --target-dir "$work/target" rojo --version "$version"
    cp "$work/base/bin/rojo" "$work/rojo"
fi
if [ ! -x "$work/rojo-changed" ]; then
    rm -rf "$work/source"
    cp -R "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/"rojo-$version" "$work/source"
    # The manifest of a package has a table for each dependency.
    for name in binary xml; do
        sed -i "/^\[dependencies\.rbx_$name\]/,/^\$/ {
            /^version/ c package = \"rbxdocument-rbx-$name\"\npath = \"$root/crates/rbxdocument-rbx-$name\"
            /^features/ d
        }" "$work/source/Cargo.toml"
    done
    cargo build --release --manifest-path "$work/source/Cargo.toml" --target-dir "$work/target" --bin rojo
    cp "$work/target/release/rojo" "$work/rojo-changed"
fi
cargo build --release --manifest-path "$root/Cargo.toml" -p rezkit-cli
rezkit=${CARGO_TARGET_DIR:-$root/target}/release/rezkit

if [ "$1" = --time ]; then
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        for program in rojo rojo-changed; do
            /usr/bin/time -f "$program %e s %M kB" "$work/$program" build "$2" -o "$work/timed.rbxl" 2>&1 | tail -n 1
        done
    done
    exit
fi
same=0 different=0 refused=0
for project in $(find "$@" -name '*.project.json' -o -name '*.project.jsonc' | sort); do
    for form in rbxl rbxlx; do
        before=0 after=0
        "$work/rojo" build "$project" -o "$work/before.$form" >"$work/log" 2>&1 || before=1
        "$work/rojo-changed" build "$project" -o "$work/after.$form" >"$work/log" 2>&1 || after=1
        case $before$after in
        11) refused=$((refused + 1)) ;;
        00) if "$rezkit" diff --ignore FilteringEnabled "$work/before.$form" "$work/after.$form" >"$work/log"; then same=$((same + 1)); else
            different=$((different + 1))
            echo "$project $form differs"
        fi ;;
        *) different=$((different + 1)) && echo "$project $form: only one of both builds it" ;;
        esac
    done
done
echo "$same equal, $different different, $refused that both refuse"
[ "$different" = 0 ]
