// A vector whose memory starts on a cache line, so that wide loads never straddle two.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace clausal {

template <class T>
struct CacheAligned {
    using value_type = T;
    static constexpr std::align_val_t kAlignment{64};

    CacheAligned() = default;
    template <class U>
    CacheAligned(const CacheAligned<U>&) {}

    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kAlignment)); }
    void deallocate(T* p, std::size_t) { ::operator delete(p, kAlignment); }
    template <class U>
    bool operator==(const CacheAligned<U>&) const {
        return true;
    }
};

template <class T>
using AlignedVector = std::vector<T, CacheAligned<T>>;

}  // namespace clausal
