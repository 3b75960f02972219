/* The Model 3D SDK as its users build it: with the exporter and with ASCII; without the normals that it would make up
   for files that have none, which no other reader does. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <malloc.h>

/* The memory of the SDK, and its peak since the last reset. */
static size_t held, most;

static void *counted(void *block) {
    held += block ? malloc_usable_size(block) : 0;
    if (held > most) most = held;
    return block;
}
static void sdk_free(void *block) {
    held -= block ? malloc_usable_size(block) : 0;
    free(block);
}
static void *sdk_malloc(size_t size) { return counted(malloc(size)); }
static void *sdk_calloc(size_t count, size_t size) { return counted(calloc(count, size)); }
static void *sdk_realloc(void *block, size_t size) {
    size_t before = block ? malloc_usable_size(block) : 0;
    void *larger = realloc(block, size);
    if (larger || !size) held -= before;
    return larger ? counted(larger) : NULL;
}
void sdk_count_anew(void) { most = held; }
/* Beyond what was held at the beginning. */
size_t sdk_most(size_t before) { return most - before; }
size_t sdk_held(void) { return held; }

#define malloc sdk_malloc
#define calloc sdk_calloc
#define realloc sdk_realloc
#define free sdk_free
#define M3D_IMPLEMENTATION
#define M3D_EXPORTER
#define M3D_ASCII
#define M3D_NONORMALS
#define M3D_NOVOXELS
#include "m3d.h"

/* Whether the SDK reads these bytes; it wants a zero byte behind a text. */
int sdk_read(const unsigned char *data) {
    m3d_t *model = m3d_load((unsigned char *)data, NULL, NULL, NULL);
    int read = model != NULL && model->errcode != M3D_ERR_ALLOC && model->errcode != M3D_ERR_BADFILE;
    if (model) m3d_free(model);
    return read;
}

/* The colour of the first corner of a face, red in the lowest byte. */
unsigned sdk_color(void *model, unsigned face) {
    m3d_t *it = (m3d_t *)model;
    return it->vertex[it->face[face].vertex[0]].color;
}

void *sdk_open(const unsigned char *data) { return m3d_load((unsigned char *)data, NULL, NULL, NULL); }

/* How many bytes saving takes: compressed (0), raw (1) or as text (2). */
unsigned sdk_save(void *model, int form) {
    static const int flags[] = {0, M3D_EXP_NOZLIB, M3D_EXP_ASCII};
    unsigned size = 0;
    unsigned char *out = m3d_save((m3d_t *)model, M3D_EXP_FLOAT, flags[form], &size);
    free(out);
    return size;
}

/* What a viewer draws. Texture coordinates as the SDK has them: v grows upwards. */
static m3d_t *viewed(void *model) { return (m3d_t *)model; }
unsigned sdk_faces(void *model) { return viewed(model)->numface; }
unsigned sdk_actions(void *model) { return viewed(model)->numaction; }
unsigned sdk_duration(void *model, unsigned action) { return viewed(model)->action[action].durationmsec; }

const char *sdk_material(void *model, unsigned face) {
    M3D_INDEX material = viewed(model)->face[face].materialid;
    return material < viewed(model)->nummaterial ? viewed(model)->material[material].name : "";
}

/* The size of the texture of a face's diffuse map, and its first pixels; 0 where it has none. */
unsigned sdk_texture(void *model, unsigned face, unsigned *width, unsigned *height, const unsigned char **pixels) {
    M3D_INDEX material = viewed(model)->face[face].materialid;
    if (material >= viewed(model)->nummaterial) return 0;
    m3dm_t *it = &viewed(model)->material[material];
    for (unsigned i = 0; i < it->numprop; i++)
        if (it->prop[i].type == m3dp_map_Kd && it->prop[i].value.textureid < viewed(model)->numtexture) {
            m3dtx_t *texture = &viewed(model)->texture[it->prop[i].value.textureid];
            *width = texture->w;
            *height = texture->h;
            *pixels = texture->d;
            return texture->d ? texture->f : 0;
        }
    return 0;
}

static void move(const M3D_FLOAT *matrix, const double *from, double *to) {
    for (int row = 0; row < 3; row++)
        to[row] = matrix[4 * row] * from[0] + matrix[4 * row + 1] * from[1] + matrix[4 * row + 2] * from[2]
            + matrix[4 * row + 3];
}

/* x, y, z in metres, u, v of every corner of every face: at rest where the action is -1, otherwise at a time of it. */
void sdk_corners(void *opened, int action, unsigned msec, double *out) {
    m3d_t *model = viewed(opened);
    m3db_t *pose = action < 0 ? NULL : m3d_pose(model, action, msec);
    for (unsigned face = 0; face < model->numface; face++)
        for (int corner = 0; corner < 3; corner++, out += 5) {
            m3dv_t *vertex = &model->vertex[model->face[face].vertex[corner]];
            M3D_INDEX coord = model->face[face].texcoord[corner];
            double rest[3] = {vertex->x, vertex->y, vertex->z}, sum[3] = {0, 0, 0};
            int moves = 0;
            if (pose && vertex->skinid < model->numskin) {
                m3ds_t *skin = &model->skin[vertex->skinid];
                for (int i = 0; i < M3D_NUMBONE; i++) {
                    if (skin->boneid[i] >= model->numbone || skin->weight[i] <= 0) continue;
                    double bound[3], posed[3];
                    move(model->bone[skin->boneid[i]].mat4, rest, bound);
                    move(pose[skin->boneid[i]].mat4, bound, posed);
                    for (int axis = 0; axis < 3; axis++) sum[axis] += posed[axis] * skin->weight[i];
                    moves = 1;
                }
            }
            for (int axis = 0; axis < 3; axis++) out[axis] = (moves ? sum[axis] : rest[axis]) * model->scale;
            out[3] = coord < model->numtmap ? model->tmap[coord].u : 0;
            out[4] = coord < model->numtmap ? model->tmap[coord].v : 0;
        }
    if (pose) sdk_free(pose);
}
