// A vector whose memory starts on a cache line, so that no wide load touches two lines; a large one starts on
// a huge page, where the system has them, which saves address translations.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace clausal {

template <class T>
struct CacheAligned {
    using value_type = T;
    static constexpr std::size_t kHuge = std::size_t{1} << 21;

    CacheAligned() = default;
    template <class U>
    CacheAligned(const CacheAligned<U>&) {}

    static std::align_val_t alignment(std::size_t n) {
        return std::align_val_t{n * sizeof(T) < kHuge ? 64 : kHuge};
    }

    T* allocate(std::size_t n) {
        void* memory = ::operator new(n * sizeof(T), alignment(n));
#ifdef __linux__
        if (n * sizeof(T) >= kHuge) madvise(memory, n * sizeof(T), MADV_HUGEPAGE);  // a hint: may fail
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* p, std::size_t n) { ::operator delete(p, alignment(n)); }
    template <class U>
    bool operator==(const CacheAligned<U>&) const {
        return true;
    }
};

template <class T>
using AlignedVector = std::vector<T, CacheAligned<T>>;

}  // namespace clausal
