/* The Model 3D SDK as its users build it: with the exporter and with ASCII; without the normals that it would make up
   for files that have none, which no other reader does. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <malloc.h>

/* What the SDK holds, and the most that it held since it was asked to begin anew. */
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

void *sdk_open(const unsigned char *data) { return m3d_load((unsigned char *)data, NULL, NULL, NULL); }

/* How many bytes saving takes: compressed (0), raw (1) or as text (2). */
unsigned sdk_save(void *model, int form) {
    static const int flags[] = {0, M3D_EXP_NOZLIB, M3D_EXP_ASCII};
    unsigned size = 0;
    unsigned char *out = m3d_save((m3d_t *)model, M3D_EXP_FLOAT, flags[form], &size);
    free(out);
    return size;
}
