// The threads of a GPU, one after the other on one thread of the CPU: a thread runs until it has to wait for
// others, then another one does, in an order that a seed decides. Where no thread can go on, or threads of a
// warp wait for each other in different places, the launch fails with a message.
// Not here: the words of the language (language.hpp).
#pragma once

#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

struct Dim {
    unsigned x = 0, y = 0, z = 0;
};
inline Dim threadIdx, blockIdx, blockDim, gridDim;

namespace host_gpu {

constexpr unsigned kLanes = 32;
constexpr std::size_t kStackBytes = 256 << 10;
constexpr unsigned char kPoison = 0xA5;  // what memory holds before anything is written to it

struct Block;

// A thread waits until a count of others, which only grows, has come to a number.
struct Fiber {
    Block* block = nullptr;
    unsigned thread = 0;
    const unsigned* count = nullptr;
    unsigned awaited = 0;
    unsigned n_warp_meetings = 0;
    bool is_started = false, is_done = false;
    jmp_buf place;

    bool can_run() const { return !is_done && (count == nullptr || *count >= awaited); }
};

// All threads of a block or a cluster.
struct Barrier {
    unsigned n_waiting = 0, n_met = 0;

    void meet(unsigned n);
};

// All lanes of a warp, each with a value. Two meetings take turns: no lane begins one before all have read
// the values of the one before the last.
struct Warp {
    struct Meeting {
        const char* call = nullptr;
        unsigned n_waiting = 0;
        std::uint64_t values[kLanes];
    } meetings[2];
    unsigned n_met = 0;
};

// The mbarrier of a GPU: a phase ends when one thread has arrived and all bytes that it expects have come.
struct ByteBarrier {
    unsigned n_phases = 0;
    bool has_arrived = false;
    std::int64_t bytes_left = 0;

    void arrive(std::int64_t n_bytes) {
        has_arrived = true;
        bytes_left += n_bytes;
        end_phase();
    }
    void complete(std::int64_t n_bytes) {
        bytes_left -= n_bytes;
        end_phase();
    }
    void wait(unsigned phase) const;

  private:
    void end_phase() {
        if (!has_arrived || bytes_left != 0) return;
        has_arrived = false;
        ++n_phases;
    }
};

struct Cluster {
    Barrier barrier;
    std::vector<Block>* blocks = nullptr;
};

struct Block {
    Cluster* cluster = nullptr;
    unsigned index = 0, rank = 0;
    unsigned char* memory = nullptr;
    std::size_t n_bytes = 0;
    Barrier barrier;
    std::vector<Warp> warps;
};

// What is going on: one launch at a time.
struct Launch {
    void (*kernel)(void* const* arguments) = nullptr;
    void* const* arguments = nullptr;
    Fiber* running = nullptr;
    jmp_buf scheduler;
    char error[256] = {};
};
inline Launch launch;

inline Fiber* running() { return launch.running; }

[[noreturn]] inline void fail(const char* what, const char* more = "") {
    std::snprintf(launch.error, sizeof launch.error, "%s%s (block %u, thread %u)", what, more, blockIdx.x,
                  threadIdx.x);
    _longjmp(launch.scheduler, 1);
}

inline void wait_for(const unsigned& count, unsigned awaited) {
    Fiber& own = *running();
    if (count >= awaited) return;
    own.count = &count;
    own.awaited = awaited;
    if (_setjmp(own.place) == 0) _longjmp(launch.scheduler, 1);
    own.count = nullptr;
}

inline void Barrier::meet(unsigned n) {
    const unsigned met = n_met;
    if (++n_waiting == n) {
        n_waiting = 0;
        ++n_met;
    } else {
        wait_for(n_met, met + 1);
    }
}

inline void ByteBarrier::wait(unsigned phase) const {
    if (n_phases % 2 == phase) wait_for(n_phases, n_phases + 1);
}

// The values of all lanes; `call` names the place, where all lanes of the warp must be.
inline const std::uint64_t* meet_in_warp(const char* call, std::uint64_t value) {
    Fiber& own = *running();
    Warp& warp = own.block->warps[own.thread / kLanes];
    const unsigned number = own.n_warp_meetings++;
    Warp::Meeting& meeting = warp.meetings[number % 2];
    if (meeting.n_waiting == 0) meeting.call = call;
    if (std::strcmp(meeting.call, call) != 0) fail("lanes of a warp are in different places: ", call);
    meeting.values[own.thread % kLanes] = value;
    if (++meeting.n_waiting == kLanes) {
        meeting.n_waiting = 0;
        warp.n_met = number + 1;
    } else {
        wait_for(warp.n_met, number + 1);
    }
    return meeting.values;
}

// The object of another block of the cluster that lies where this one does in its block's shared memory.
template <class T>
T* twin_of(T* object, unsigned to_block) {
    const Block& own = *running()->block;
    const auto offset = reinterpret_cast<unsigned char*>(object) - own.memory;
    if (offset < 0 || offset + sizeof(T) > own.n_bytes) fail("an object is not in shared memory");
    return reinterpret_cast<T*>((*own.cluster->blocks)[to_block].memory + offset);
}

inline void begin_fiber() {
    launch.kernel(launch.arguments);
    running()->is_done = true;
    _longjmp(launch.scheduler, 1);
}

// Runs all threads of a cluster to their ends.
inline void run_fibers(std::vector<Fiber>& fibers, unsigned char* stacks, std::uint64_t seed) {
    std::vector<std::uint32_t> order(fibers.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    for (std::size_t i = order.size(); i > 1; --i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        std::swap(order[i - 1], order[(seed >> 33) % i]);
    }
    static std::size_t n_done, at;  // not in registers, which _longjmp brings back as they were
    static bool has_moved;
    n_done = 0, at = 0, has_moved = false;
    while (n_done < fibers.size()) {
        Fiber& fiber = fibers[order[at]];
        if (fiber.can_run()) {
            has_moved = true;
            launch.running = &fiber;
            threadIdx.x = fiber.thread;
            blockIdx = {fiber.block->index % gridDim.x, fiber.block->index / gridDim.x, 0};
            if (_setjmp(launch.scheduler) == 0) {
                if (fiber.is_started) _longjmp(fiber.place, 1);
                fiber.is_started = true;
                static ucontext_t context, unused;
                getcontext(&context);
                context.uc_stack.ss_sp = stacks + kStackBytes * order[at];
                context.uc_stack.ss_size = kStackBytes;
                context.uc_link = nullptr;
                makecontext(&context, begin_fiber, 0);
                swapcontext(&unused, &context);
            }
            if (launch.error[0]) return;
            n_done += fibers[order[at]].is_done;
        }
        if (++at == fibers.size()) {
            if (!has_moved) {
                std::snprintf(launch.error, sizeof launch.error, "no thread can go on: %zu of %zu have ended",
                              n_done, fibers.size());
                return;
            }
            at = 0, has_moved = false;
        }
    }
}

// A cluster of blocks from the first on, each with shared memory that holds nothing of use at first.
inline void run_cluster(unsigned first, unsigned n_blocks, std::size_t shared_bytes, std::uint64_t seed) {
    Cluster cluster;
    std::vector<Block> blocks(n_blocks);
    std::vector<unsigned char> memory(n_blocks * (shared_bytes + 128) + 128, kPoison);
    std::vector<Fiber> fibers(std::size_t{n_blocks} * blockDim.x);
    cluster.blocks = &blocks;
    auto* begin =
        reinterpret_cast<unsigned char*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 127) / 128 * 128);
    for (unsigned b = 0; b < n_blocks; ++b) {
        blocks[b].cluster = &cluster;
        blocks[b].index = first + b;
        blocks[b].rank = b;
        blocks[b].memory = begin + b * ((shared_bytes + 127) / 128 * 128);
        blocks[b].n_bytes = shared_bytes;
        blocks[b].warps.resize((blockDim.x + kLanes - 1) / kLanes);
        for (unsigned t = 0; t < blockDim.x; ++t) {
            fibers[b * blockDim.x + t].block = &blocks[b];
            fibers[b * blockDim.x + t].thread = t;
        }
    }
    const std::size_t stack_bytes = kStackBytes * fibers.size();
    void* stacks = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks == MAP_FAILED) {
        std::snprintf(launch.error, sizeof launch.error, "no memory for the stacks of %zu threads",
                      fibers.size());
        return;
    }
    run_fibers(fibers, static_cast<unsigned char*>(stacks), seed);
    munmap(stacks, stack_bytes);
}

}  // namespace host_gpu
