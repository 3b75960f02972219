//! Texts of voxels, shapes and the smaller sections, written by hand.

pub(super) const VOXELS: &str = "3dmodel 1
voxels
MIT
me


VoxTypes
#ff000001
#ff000002/3f
#ff000003//1ff
#ff000004/bf/100 name
#ff000005 default:chest { 1 default:apple 65535 default:spoon }
#ff000006 - { 0 - }
#00000000 \\{2d}
#00000000 \\{7b}brace}
#00000000 a\\{20}name 3:0.502 4:0.499 { 1 x }

Voxel
dim 0 0 0

Voxel block
uncertain 0.4
pos -5 2147483647 -2147483648
dim 3 2 2
layer
0 1 2
. - 65533
layer
. . .
8 7 6

Voxel short
uncertain 100 255
dim 3 9 2
layer
0 1 2
3 4 5
layer
6

End
";

pub(super) const ODD_VOXELS: &str = "3dmodel 1
voxels
MIT
me

Voxel block
dim 2 1 2
uncertain 50
layer
-1 -2
1\t0

Voxtypes
#FF007F00/01/000 default:chest { 1 default:apple 3 default:spoon }
#ff007f00/ plain
#ff007f00// plainer
#ff007f00/40 shape
#ff007f00 braces {1 a 2 b }

End
";

pub(super) const SHAPES: &str = "3dmodel 1
shapes
MIT
me


Shape
use

Shape all
group 2
use some material
inc 0 1 2
mesh 0 -1 1 2
div 1
sub 1 2.5
len 0.5
dist 0.1 15
degu 3
deg 2 3
rangeu 0
range 0 1
paru 3[ 0 0.5 1 ]
parv 2[ 0 1 ]
trim 2[ 0 1 2 3 ]
hole 1[ 0 1 ]
scrv 0[ ]
sp 2[ 1 2 ]
bez1 2[ 0 1 ]
bsp1 2[ 0 1 ]
bez2 2[ 0 1 ]
bsp2 2[ 0 1 ]
bezun 1[ 0 1 2 ]
bezu 1[ 0 1 ]
bezn 1[ 0 1 ]
bez 1[ 0 ]
nurbsun 1[ 0 1 2 ]
nurbsu 1[ 0 1 ]
nurbsn 1[ 0 1 ]
nurbs 1[ 0 ]
conn 0 1 2 3 4 5
line 2[ 0 1 ]
polygon 3[ 0 1 2 ]
circle 0 1 0.5
cylinder 0 1 0.5 2 3 0.25
shpere 0 0.5
torus 0 -1 1 0.25
cone 0 1 2
cube -1 -2 70000
@99 #0102
@32767 #

End
";

pub(super) const ODD_SHAPES: &str = "3dmodel 1
shapes
MIT
me

Shape
bez1 3 0 1 2
bez2 3[0 1 2]
paru 2 [ 0.5 1.5 ]
paru 2[0.5 1.5]
paru 2[ 1.500 1e1]
bezu 2[ 0 1 ][ 2 3 ]
sphere 0 1.0

End
";

pub(super) const SOLIDS: &str = "3dmodel 1
solids
MIT
me


Vertex
0 0 0 1
0 1 0 1
1 0 0 1
1 0 -1 1
0 0 1 1
-0.70710677 0 0 0.70710677

Shape solids
div 8
circle 0 -1 1
cylinder 0 5 0.5 1 5 0.25
sub 8 4
shpere 0 0.5
len 0.5
torus 0 -1 1 0.25
dist 0.01 30
cone 0 1 2
cube 0 2 3
polygon 4[ 0 2 3 1 ]
line 3[ 0 1 2 ]

Shape twice
inc 0 4 -1
inc 0 0 5

End
";

pub(super) const PATCHES: &str = "3dmodel 1
patches
MIT
me


Textmap
0 0
1 0
0 1
1 1

Vertex
0 0 0 1
0.5 0 0 1
1 0 0 1
0 0.5 0 1
0.5 0.5 1 2
1 0.5 0 1
0 1 0 1
0.5 1 0 1
1 1 0 1
0 0 1 1

Shape curves
deg 2 2
sub 2 2
bez1 5[ 0 1 2 5 8 ]
degu 3
bsp1 6[ 0 1 2 5 8 7 ]
degu 2
paru 8[ 0 0 0 0.25 0.75 1 1 1 ]
rangeu 2
bsp2 5[ 0 1 2 5 8 ]

Shape surfaces
deg 2 2
div 4
bez 9[ 0 1 2 3 4 5 6 7 8 ]
bezun 4[ 0 0 9 2 1 9 6 2 9 8 3 9 ]
deg 1 2
nurbsn 6[ 0 9 2 9 3 9 5 9 6 9 8 9 ]
trim 1[ 0 0 ]

End
";

pub(super) const LABELS: &str = "3dmodel 1
labels
MIT
me


Vertex
0 0 0 1

Labels parts
color #ff0000ff
lang en_US
0 a label of several words
-1

Labels parts
lang hu_HU
0 két szó\\{0a}két sorban
-1 lang

Labels

End
";

pub(super) const ACTIONS: &str = "3dmodel 1
actions
MIT
me


Vertex
0 0 0 1
0 0 0 1

Bones
0 1 root

Action 0

Action 4294967295 walk in circles
frame 0
frame 1000
0 0 1
frame 4294967295
0 -1 -2
7 0 1

End
";

pub(super) const BYTES: &str = "3dmodel 1
bytes
MIT
me


Preview
small.png
#89504e470d0a1a0a

Assets
elsewhere.png
here.png
#000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
#20
\\{23}sign
\\{}

Extra gxel
000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
2021

Extra \\{0020}/z

End
";

pub(super) const NAMES: &str = "3dmodel 1
 blanks around\u{20}
tab\tinside
line\\{0a}break\\{0d}


Vertex
0 0 0 1

Bones
0 -1 \\{20}blank first
0 -1 blank last\\{20}
0 -1 back\\slash\\{5c}{
0 -1 \\{ff}not\\{fe80}text
0 -1 \u{e9}\u{4e00}\u{1f600}
0 -1 #sign @ {brace}

Material \\{09}

End
";

pub(super) const ORDER: &str = "3dmodel 1.0
order
MIT
me

Material steel
Kd #ff808080

Textmap
0.0 0.0

Mesh
use steel
0/0 1/0 2/0

Action 100 move
frame 0
0 0 3

Vertex
0.0 0.0 0.0 1.0 0:1.0
1.0 0.0 0.0 1.0 0:1.0
0.0 1.0 0.0 1.0 0:1.0
0.0 0.0 0.0 1.0

Textmap
1.0 1.0

Bones
0 3 root

Material glass
d 0.5

End
";

pub(super) const BLANKS: &str = "3dmodel\t1  \nname\nMIT\nme\n \t \n\n\n  \nTextmap \t\n\t0\t0 \n 1   1\t\n\t\nVertex\n\
    0  0\t0 1\t#ff0000ff \n  1 0 0 1   \n0 1 0 1\n \nMesh \t with blanks \n  use \t steel  \n\t0/0  1/1\t2/0 \n   \nEnd  ";
