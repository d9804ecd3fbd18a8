// The token bucket of bucket.py in C++.
#include <algorithm>
#include <cstdio>

struct Bucket {
    double rate, size, tokens, then;
    bool take(double now);
};

// #region take
bool Bucket::take(double now)
{
    tokens = std::min(size, tokens + (now - then) * rate);
    then = now;
    if (tokens < 1)
        return false;
    tokens -= 1;
    return true;
}
// #endregion

int main()
{
    Bucket bucket{1, 5, 5, 0};
    for (int step = 0; step < 24; step++)
        std::putchar(bucket.take(step / 4.0) ? 'x' : '-');
    std::putchar('\n');
}
