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
    // For jobs on the calling thread: polls at most every few milliseconds.
    bool check(bool on_caller);

  private:
    const Poll& poll_;
    std::atomic<bool> stopped_{false};
    long long next_poll_ns_ = 0;
};

// job(i, on_caller) for i < n_jobs on at most n_threads threads. Rethrows the first exception of a job.
void run_jobs(std::size_t n_jobs, std::size_t n_threads, StopFlag& stop,
              const std::function<void(std::size_t, bool)>& job);

}  // namespace clausal
