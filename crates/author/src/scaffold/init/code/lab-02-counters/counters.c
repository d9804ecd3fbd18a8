// A ring buffer whose two counters run on and are never turned back.
#include <inttypes.h>
#include <stdio.h>

// ANCHOR: layout
#define SLOTS 8u  // a power of two: 2^32 is a multiple of it
#define MASK (SLOTS - 1u)

struct ring {
    uint32_t put;    // items ever put
    uint32_t taken;  // items ever taken
    int slots[SLOTS];
};
// ANCHOR_END: layout

static uint32_t ring_count(const struct ring *ring)
{
    return ring->put - ring->taken;
}

static int ring_put(struct ring *ring, int item)
{
    if (ring_count(ring) == SLOTS)
        return 0;
    ring->slots[ring->put & MASK] = item;
    ring->put += 1;
    return 1;
}

static int ring_take(struct ring *ring, int *item)
{
    if (ring_count(ring) == 0)
        return 0;
    *item = ring->slots[ring->taken & MASK];
    ring->taken += 1;
    return 1;
}

// ANCHOR: overflow
int main(void)
{
    struct ring ring = {.put = UINT32_MAX - 1, .taken = UINT32_MAX - 1};
    for (int item = 1; item <= 5; item++)
        ring_put(&ring, item);
    printf("put %" PRIu32 ", taken %" PRIu32 ", count %" PRIu32 "\n",
           ring.put, ring.taken, ring_count(&ring));
    for (int item; ring_take(&ring, &item);)
        printf("%d ", item);
    printf("\n");
    return 0;
}
// ANCHOR_END: overflow
