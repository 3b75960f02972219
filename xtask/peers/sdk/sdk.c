/* The Model 3D SDK as its users build it: with the exporter and with ASCII; without the normals that it would make up
   for files that have none, which no other reader does. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* How many bytes saving takes; raw or compressed. */
unsigned sdk_save(void *model, int raw) {
    unsigned size = 0;
    unsigned char *out = m3d_save((m3d_t *)model, M3D_EXP_FLOAT, raw ? M3D_EXP_NOZLIB : 0, &size);
    free(out);
    return size;
}
