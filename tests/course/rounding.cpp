// What reduce.cu's data add up to in other groupings: in double, in one float, and in a float of block totals.
#include <cstdio>
#include <cstdlib>
#include <random>

int main(int, char** argv) {
  int n = std::atoi(argv[1]);
  std::minstd_rand rng;
  double reference = 0.0;
  float single = 0.0f, blocks = 0.0f;
  for (int first = 0; first < n; first += 256) {
    float total = 0.0f;
    for (int i = first; i < first + 256 && i < n; ++i) {
      float x = rng() % 1024 / 1024.0f;
      reference += x;
      single += x;
      total += x;
    }
    blocks += total;
  }
  std::printf("%.4f %.4f %.4f\n", reference, single, blocks);
}
