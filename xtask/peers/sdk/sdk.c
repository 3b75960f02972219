/* The Model 3D SDK as its users build it: with the exporter and with ASCII. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

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
/* Starts counting again, and returns what is held. */
size_t sdk_reset(void) { return most = held; }
size_t sdk_most(void) { return most; }

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

/* A model; NULL if the SDK does not read these bytes, which must end with zero bytes. */
void *sdk_open(const unsigned char *data) {
    m3d_t *model = m3d_load((unsigned char *)data, NULL, NULL, NULL);
    int read = model && model->errcode != M3D_ERR_ALLOC && model->errcode != M3D_ERR_BADFILE;
    if (model && !read) m3d_free(model);
    return read ? model : NULL;
}

void sdk_close(void *model) { m3d_free((m3d_t *)model); }

/* How many bytes saving takes: compressed (0), raw (1) or as text (2). */
unsigned sdk_save(void *model, int form) {
    static const int flags[] = {0, M3D_EXP_NOZLIB, M3D_EXP_ASCII};
    unsigned size = 0;
    unsigned char *out = m3d_save((m3d_t *)model, M3D_EXP_FLOAT, flags[form], &size);
    free(out);
    return size;
}
