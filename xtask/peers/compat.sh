#!/bin/sh
# Builds every project below some folders with Rojo as it is, and with rbx_binary and rbx_xml replaced by one line each in its
# manifest, and compares the documents with `rezkit diff`: all but Workspace.FilteringEnabled, which rbx_binary does not
# write, although files have it. Lune likewise: a script anchors all parts of a place and saves it in both forms. It is
# heavy: each of the four takes minutes to compile.
#
#     xtask/peers/compat.sh WORK PROJECTS…       compares; WORK is a folder for sources, programs and results
#     xtask/peers/compat.sh WORK --time FILE     also builds a project ten times with each, in turn
#     xtask/peers/compat.sh WORK --lune FILES…   compares places that Lune saves
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$1
shift
version=7.7.1
sources=${CARGO_HOME:-$HOME/.cargo}/registry/src
mkdir -p "$work"

# Takes the crates of this repository in a package's manifest, which has a table for each dependency.
change() {
    for name in binary xml; do
        sed -i "/^\[dependencies\.rbx_$name\]/,/^\$/ {
            /^version/ c package = \"rbxdocument-rbx-$name\"\npath = \"$root/crates/rbxdocument-rbx-$name\"
            /^features/ d
        }" "$1/Cargo.toml"
    done
}

cargo build --release --manifest-path "$root/Cargo.toml" -p rezkit-cli
rezkit=${CARGO_TARGET_DIR:-$root/target}/release/rezkit

if [ "$1" = --lune ]; then
    shift
    for way in as changed; do
        [ ! -x "$work/lune-$way" ] || continue
        cargo info --quiet lune@0.11.1 lune-roblox@0.4.1 >"$work/log"
        cp -R "$sources"/*/lune-0.11.1 "$work/source-$way"
        if [ $way = changed ]; then
            cp -R "$sources"/*/lune-roblox-0.4.1 "$work/lune-roblox"
            change "$work/lune-roblox"
            printf '[patch.crates-io]\nlune-roblox = { path = "../lune-roblox" }\n' >>"$work/source-$way/Cargo.toml"
        fi
        cargo build --manifest-path "$work/source-$way/Cargo.toml" --target-dir "$work/target"
        cp "$work/target/debug/lune" "$work/lune-$way"
    done
    cat >"$work/save.luau" <<'END'
local fs, process, roblox = require("@lune/fs"), require("@lune/process"), require("@lune/roblox")
local place = roblox.deserializePlace(fs.readFile(process.args[1]))
for _, instance in place:GetDescendants() do
    if instance:IsA("BasePart") then instance.Anchored = true end
end
fs.writeFile(process.args[2] .. ".rbxl", roblox.serializePlace(place))
fs.writeFile(process.args[2] .. ".rbxlx", roblox.serializePlace(place, true))
END
    for file in "$@"; do
        for way in as changed; do
            rm -f "$work/$way.rbxl" "$work/$way.rbxlx"
            "$work/lune-$way" run "$work/save.luau" "$file" "$work/$way" >"$work/$way.log" 2>&1 || echo "$file: lune-$way: $(grep -v '^$' "$work/$way.log" | head -n 1)"
        done
        for form in rbxl rbxlx; do
            [ -f "$work/as.$form" ] && [ -f "$work/changed.$form" ] || continue
            # Properties that rbx_binary drops are lines that begin with `+`.
            "$rezkit" diff "$work/as.$form" "$work/changed.$form" >"$work/log" && echo "$file $form: equal" || {
                grep -q '^[-~]' "$work/log" && echo "$file $form: differs" && grep '^[-~]' "$work/log" | head -n 5
            } || echo "$file $form: has more properties"
        done
    done
    exit
fi

if [ ! -x "$work/rojo" ]; then
    cargo install --locked --root "$work/base" --target-dir "$work/target" rojo --version "$version"
    cp "$work/base/bin/rojo" "$work/rojo"
fi
if [ ! -x "$work/rojo-changed" ]; then
    rm -rf "$work/source"
    cp -R "$sources"/*/"rojo-$version" "$work/source"
    change "$work/source"
    cargo build --release --manifest-path "$work/source/Cargo.toml" --target-dir "$work/target" --bin rojo
    cp "$work/target/release/rojo" "$work/rojo-changed"
fi

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
