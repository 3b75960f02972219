/* The part of the Model 3D SDK that makes triangles of voxels, which readers are not compared with. All that it exports
   has other names here, for the SDK is there twice. */
#include <stdlib.h>
#define m3d_load voxels_load
#define m3d_free voxels_free
#define m3d_frame voxels_frame
#define m3d_pose voxels_pose
#define _m3d_getpr voxels_getpr
#define _m3d_gettx voxels_gettx
#define _m3d_inv voxels_inv
#define _m3d_mat voxels_mat
#define _m3d_mul voxels_mul
#define _m3d_safestr voxels_safestr
#define _m3dstbi_zlib_decode_malloc_guesssize_headerflag voxels_inflate
#define M3D_IMPLEMENTATION
#define M3D_NONORMALS
#include "m3d.h"

void *sdk_open_voxels(const unsigned char *data) { return m3d_load((unsigned char *)data, NULL, NULL, NULL); }
