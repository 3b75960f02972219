//! Texts of every section, written by hand.

use super::texts::{
    ACTIONS, BLANKS, BYTES, LABELS, NAMES, ODD_SHAPES, ODD_VOXELS, ORDER, PATCHES, SHAPES, SOLIDS, VOXELS,
};
use crate::formats::{Fixture, Grade};

pub(super) fn all() -> Vec<Fixture> {
    let crlf = |text: &str| text.replace('\n', "\r\n");
    let exact =
        |name: &str, about: &str, text: &str| Fixture::exact(format!("ascii-{name}.a3d"), about, text);
    let model = |name: &str, about: &str, text: &str| exact(name, about, text).grade(Grade::Model);
    let broken = |name: &str, about: &str, text: &str| exact(name, about, text).grade(Grade::Failed);
    vec![
        exact("empty", "text: a header and nothing else", "3dmodel 1\nempty\nMIT\nnobody\n\n\nEnd\n"),
        exact("all", "text: every section", ALL),
        exact("all-crlf", "text: every section, lines end with CR LF", &crlf(ALL)),
        exact("no-end", "text: ends with a face, as the SDK writes it", NO_END),
        exact("description", "text: a description of several lines, an empty one among them", DESCRIPTION),
        exact("unknown", "text: sections that nobody knows, comments, and more behind the end", UNKNOWN),
        exact("numbers", "text: large, small, negative and no numbers", NUMBERS),
        exact("doubles", "text: numbers of ten digits and more, which are doubles", DOUBLES),
        model("numbers-odd", "text: numbers that nobody writes so", ODD_NUMBERS),
        exact("mesh", "text: every form of a corner, 1 to 15 of them", MESH),
        model("mesh-slashes", "text: slashes behind corners, as the Blender plugin writes them", SLASHES),
        exact("skins", "text: one to eight bones", SKINS),
        exact("skins-listed", "text: skins in an order of their own, quaternions that no bone has", LISTED),
        exact("bones", "text: bones, deep ones and one whose parent stands elsewhere", BONES),
        exact("materials", "text: every property", MATERIALS),
        model("materials-odd", "text: properties as the SDK misspells them", ODD_MATERIALS),
        exact("voxels", "text: types of voxels with all their parts, blocks, a short one", VOXELS),
        model("voxels-odd", "text: types and blocks of voxels as others write them", ODD_VOXELS),
        exact("shapes", "text: every command", SHAPES),
        model("shapes-odd", "text: arguments without brackets, and brackets without blanks", ODD_SHAPES),
        exact("solids", "text: every solid, with what divides it", SOLIDS),
        exact("patches", "text: curves and surfaces of several degrees", PATCHES),
        exact("labels", "text: labels in two languages", LABELS),
        exact("actions", "text: actions", ACTIONS),
        exact("bytes", "text: a preview, assets and chunks as bytes", BYTES),
        exact("names", "text: names that a line cannot hold as they are", NAMES),
        model("order", "text: the order of the Blender plugin", ORDER),
        model("blanks", "text: tabs and spaces everywhere", BLANKS),
        model("mark", "text: a byte order mark in front", &format!("\u{feff}{NO_END}")),
        broken("broken-number", "text: a letter in a number", "3dmodel 1\n\n\n\n\n\nVertex\n0 0 0x 1\n"),
        broken("broken-corner", "text: a corner that is none", "3dmodel 1\n\n\n\n\n\nMesh\n0 1 /2\n"),
        broken("broken-end", "text: ends in a colour", "3dmodel 1\n\n\n\n\n\nMaterial a\nKd #"),
    ]
}

const ALL: &str = "3dmodel 2.5
A thing of everything
MIT
Me <me@example.org>
META
GENERATOR=hand-1.0

Preview
preview.png

Textmap
0 0
1 0.5
0.25 1

Vertex
0 0 0 1 #ff0000ff 0
1 0 0 1 #80ff0000 0:0.502 1:0.499
0 1 0 1 1
0 0 1 0
0 0 0 1
0.5 -0.25 0.125 1 #ff00ff00

Bones
0 4 root
/5 4 arm

Material skin
Kd #ff336699
Ns 10.5
il 2
map_Kd skin.png

Procedural
surface.lua

Mesh body
0 1 2
use skin
0/0/3 1/1/3 2/2/3
par growth
0/0/3/5 1/1/3/5 2/2/3/5
par
use

VoxTypes
#ff007f00/01/005 chest 1 { 1 apple 3 spoon }
#ffffffff
#00000000 air

Voxel house
uncertain 50.2 7
pos -1 0 2
dim 2 2 1
layer
0 1
layer
. -

Shape ball
group 1
use skin
shpere 5 0.5

Labels notes
color #ff0000ff
lang en_GB
0 the first corner
1 the second

Action 1000 wave
frame 0
0 0 4
frame 500
0 5 4
1 0 4

Assets
skin.png

Extra gxel
000102ff

End
";

const NO_END: &str = "3dmodel 1\nno end\nMIT\nme\n\n\nVertex\n0 0 0 1\n1 0 0 1\n0 1 0 1\n\nMesh\n0 1 2\n\n";

const DESCRIPTION: &str =
    "3dmodel 1\nname\nMIT\nme\nfirst line\n\\{}\n  third line, indented\n\\{2020}\nlast \\ line\n\nEnd\n";

const UNKNOWN: &str = "3dmodel 1
unknown
MIT
me


Weather today, of all days
sun 1 2 3
\train

Vertex of what follows
0 0 0 1

Mesh front
0

Mesh back
0

Texture
#nothing that we know

End
what stands behind the end
is kept, too
";

const NUMBERS: &str = "3dmodel 0.1
numbers
MIT
me


Vertex
0 -0 1 -1
0.1 0.33333334 0.007874016 -0.99993896
1e-5 1.1754944e-38 1e-45 3.4028235e38
16777216 99999990 1e8 1.2345679e11
nan -nan nan(7f800001) inf
-inf 0.0001 -0.00012345 8.5e-5

End
";

const DOUBLES: &str = "3dmodel 1
doubles
MIT
me


Textmap
0.12345678901 0.5
0.25 1.000000000e-1

Vertex
0.1234567890123 0 0 1
1.000000000e-1 0.5 -2.2250738585072014e-308 1
1.7976931348623157e308 0.30000000000000004 nan(7ff8000000000001) 1

Shape a
div 0.1234567890123
div 0.1
div 1.000000000e-1

End
";

const ODD_NUMBERS: &str = "3dmodel 1.0
numbers
MIT
me

Vertex
+0 0.0 00.50 1.0
1E2 1e+2 1.e0 .5
0.1000000000 1.0000000000 0.123456789 0.50000000000000000000
1e400 -1e-400 Infinity NaN
5 5 5

End
";

const MESH: &str = "3dmodel 1
mesh
MIT
me


Textmap
0 0
1 1

Vertex
0 0 0 1
1 0 0 1
0 1 0 1
0 0 1 1

Mesh
0
0 1
0 1 2
0 1 2 3
0/0 1/1 2/0
0//3 1//3 2//3
0/0/3 1/1/3 2/0/3
0///3 1///3 2///3
0/0//3 1/0//3 2/0//3
0//3/3 1//3/3 2//3/3
0/0/3/3 1/0/3/3 2/0/3/3
0//// 1//// 2////
0/0/3/3/ 1/0/3/3/ 2/0/3/3/
0/-1 1/0 2/-2
-1 -2 70000
use some material
0 1 2 3 0 1 2 3 0 1 2 3 0 1 2
par
par swelling
@2 a property
@15
use

Mesh empty

End
";

const SLASHES: &str = "3dmodel 1
slashes
MIT
me

Vertex
0 0 0 1
1 0 0 1
0 1 0 1

Mesh
0// 1// 2//
0/3/ 1/3/ 2/3/
0/ 1/ 2/
0/// 1/// 2///
0//1 1// 2//
0/1 1 2
0///2/ 1///2 2///2

End
";

const SKINS: &str = "3dmodel 1
skins
MIT
me


Vertex
0 0 0 1 0
0 0 1 1 1
0 0 2 1 0:0.502 1:0.499
0 0 3 1 0:0.251 1:0.251 2:0.251 3:0.251
0 0 4 1 0:0.126 1:0.126 2:0.126 3:0.126 4:0.126 5:0.126 6:0.126 7:0.126
0 0 5 1 #ff112233 0:0.004
0 0 6 1 -1
0 0 7 1
0 0 8 1 0
0 0 0 1

Bones
0 9 a
/0 9 b
/0 9 c

End
";

const LISTED: &str = "3dmodel 1
skins
MIT
me


Skins
1
0
- 0:0.502 - 1:0.499
0:0.502 1:0.499
0:0.502 1:0.499
-
0:0 1:1

Vertex
0 0 0 1 0
0 0 1 1 1
0 0 2 1 @3
0 0 3 1 @4
0 0 4 1 @5
0 0 5 1 @6
0 0 6 1 @99
0 0 7 1 @-2
0 0 8 1 @-1
0 0 0 1

Bones
0 9 a
/1 8 b

VoxTypes
#ff000000 - 0
#ff000000 stone @3 { 2 - 3 \\{2d} }

End
";

const BONES: &str = "3dmodel 1
bones
MIT
me


Vertex
0 0 0 1
0 0 0 1

Bones
0 1 body
/0 1 head
//0 1
/0 1 left arm
//0 1 left hand
///0 1 finger
@2 0 1 hair
@6 0 1 tip
@99 -1 -2 nowhere
0 1 second root

End
";

const MATERIALS: &str = "3dmodel 1
materials
MIT
me


Material
Kd #00000000

Material all
Kd #ff010203
Ka #01020304
Ks #ffffffff
Ns 0.5
Ke #80000000
Tf #00000001
Km 1
d 0.75
il 255
Pr 0.1
Pm 0
Ps 1e-10
Ni 1.45
Nt 0.25
map_Kd a.png
map_Ka b
map_Ks c
map_Ns d
map_Ke e
map_Tf f
map_Km g
map_d h
map_N i
map_Pr j
map_Pm k
map_Ps l
map_Ni m
map_Nt n with blanks

Material more
map_Kd
@200 something
@200 \\{23}00
@99 #0102ff

End
";

const ODD_MATERIALS: &str = "3dmodel 1
materials
MIT
me

Material  spaced name\t
Kd #FF336699
Ka #0xff336699
Ks #fff
map_map_N normal.png
map_bump bump.png
bump second.png
refl metal.png
map_refl metal.png
il 007

End
";
