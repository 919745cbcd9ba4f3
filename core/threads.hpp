// Run numbered jobs on a few threads, the calling one among them, with a stop that only the caller polls.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace clausal {

// Asked now and then, on the calling thread only, whether to stop (Ctrl-C). May be empty.
using Poll = std::function<bool()>;

// What a job looks at to learn that it should give up early.
class StopFlag {
  public:
    explicit StopFlag(const Poll& poll) : poll_(poll) {}
    bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
    void stop() { stopped_.store(true, std::memory_order_relaxed); }
    // For jobs on the calling thread: polls at most every 20 milliseconds, and reads the clock only every 16
    // calls, as there may be a million calls a second.
    bool check(bool on_caller);
    // The same, reading the clock in every call.
    bool check_now();

  private:
    const Poll& poll_;
    std::atomic<bool> stopped_{false};
    long long next_poll_ns_ = 0;
    unsigned n_checks_ = 0;
};

// job(i, on_caller) for i < n_jobs on at most n_threads threads. Rethrows the first exception of a job.
void run_jobs(std::size_t n_jobs, std::size_t n_threads, StopFlag& stop,
              const std::function<void(std::size_t, bool)>& job);

// job(i, n) at the same time on n threads, i < n, the calling thread being 0; n is less than n_threads where
// the system gives no more. For jobs that wait for each other; they must not throw.
void run_together(std::size_t n_threads, const std::function<void(std::size_t, std::size_t)>& job);

// A barrier for n threads that wait for each other many thousand times a second: it spins, as sleeping would
// take too long.
class SpinBarrier {
  public:
    void wait(std::size_t n);

  private:
    std::atomic<std::size_t> arrived_{0};
    std::atomic<std::size_t> round_{0};
};

}  // namespace clausal
