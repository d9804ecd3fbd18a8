// Takes the place of a tile in shared memory and records which words each warp asks for, access by access.
//
// After each launch, standard error has one number for every access that a thread makes, in its order: the passes over
// the banks that the warps of all blocks need for it together. All threads must make the same accesses, so launch full
// tiles only.
#pragma once

#include <array>
#include <map>
#include <set>

#include "cuda_runtime.h"

namespace banks {

using Place = std::array<unsigned, 3>;  // block, block, and thread or warp

inline std::map<Place, int> made;                             // accesses of a thread so far
inline std::map<int, std::map<Place, std::set<int>>> wanted;  // access -> warp -> words

inline void ask(int word) {
  dim3 t = emu::current->index, b = emu::block_index;
  unsigned thread = t.x + t.y * emu::block_dim.x;
  wanted[made[{b.x, b.y, thread}]++][{b.x, b.y, thread / 32}].insert(word);
}

inline void report() {
  std::fprintf(stderr, "passes:");
  for (const auto& [access, warps] : wanted) {
    int passes = 0;
    for (const auto& [warp, words] : warps) {
      int bank[32] = {};
      for (int word : words) ++bank[word % 32];
      passes += *std::max_element(bank, bank + 32);
    }
    std::fprintf(stderr, " %d", passes);
  }
  std::fprintf(stderr, "\n");
  made.clear();
  wanted.clear();
}

template <int rows, int width>
struct Tile {
  float data[rows][width];
  struct Row {
    float* first;
    int word;
    float& operator[](int column) { return ask(word + column), first[column]; }
  };
  Row operator[](int row) { return {data[row], row * width}; }
};

}  // namespace banks

#undef EMU_LAUNCH
#define EMU_LAUNCH(grid, block, call) emu::launch(grid, block, [=] { call; }), banks::report()
