// A few threads that take numbered jobs, and the poll that stops them.
#include "core/threads.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace clausal {

namespace {
constexpr std::chrono::milliseconds kPollEvery{20};

// Threads that are joined when they go out of scope, as std::jthread, which not every C++ library has.
class Threads {
  public:
    Threads() = default;
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;
    ~Threads() { join(); }

    std::size_t size() const { return threads_.size(); }
    template <class Job>
    void start(const Job& job) {
        threads_.emplace_back(job);
    }
    void join() {
        for (std::thread& thread : threads_) thread.join();
        threads_.clear();
    }

  private:
    std::vector<std::thread> threads_;
};

}  // namespace

bool StopFlag::check(bool on_caller) {
    constexpr unsigned kChecks = 16;
    if (!on_caller || n_checks_++ % kChecks) return stopped();
    return check_now();
}

bool StopFlag::check_now() {
    if (poll_) {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        const long long ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
        if (ns >= next_poll_ns_) {
            next_poll_ns_ = ns + std::chrono::nanoseconds(kPollEvery).count();
            if (poll_()) stop();
        }
    }
    return stopped();
}

void run_jobs(std::size_t n_jobs, std::size_t n_threads, StopFlag& stop,
              const std::function<void(std::size_t, bool)>& job) {
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::condition_variable done;
    std::size_t running = 0;
    std::exception_ptr error;

    const auto work = [&](bool on_caller) {
        try {
            for (std::size_t i = next++; i < n_jobs && !stop.stopped(); i = next++) job(i, on_caller);
        } catch (...) {
            stop.stop();
            const std::lock_guard lock(mutex);
            if (!error) error = std::current_exception();
        }
    };

    const auto help = [&] {
        work(false);
        const std::lock_guard lock(mutex);
        --running;
        done.notify_one();
    };

    Threads helpers;
    const std::size_t n_helpers = std::clamp<std::size_t>(n_jobs, 1, std::max<std::size_t>(n_threads, 1)) - 1;
    for (std::size_t h = 0; h < n_helpers; ++h) {
        {
            const std::lock_guard lock(mutex);
            ++running;
        }
        try {
            helpers.start(help);
        } catch (const std::system_error&) {  // the system gives no more threads: go on with these
            const std::lock_guard lock(mutex);
            --running;
            break;
        }
    }
    work(true);
    std::unique_lock lock(mutex);
    while (!done.wait_for(lock, kPollEvery, [&] { return running == 0; })) {
        lock.unlock();
        stop.check_now();
        lock.lock();
    }
    lock.unlock();
    helpers.join();
    if (error) std::rethrow_exception(error);
}

void run_together(std::size_t n_threads, const std::function<void(std::size_t, std::size_t)>& job) {
    std::atomic<std::size_t> count{0};  // threads that take part; 0 until it is known
    Threads helpers;
    for (std::size_t h = 1; h < n_threads; ++h) {
        try {
            helpers.start([&, h] {
                count.wait(0);
                job(h, count);
            });
        } catch (...) {  // no more threads or memory for them: go on with these
            break;
        }
    }
    count = helpers.size() + 1;
    count.notify_all();
    job(0, count);
}

void SpinBarrier::wait(std::size_t n) {
    constexpr int kSpins = 1 << 14;  // then let other threads run
    const std::size_t round = round_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == n) {
        arrived_.store(0, std::memory_order_relaxed);
        round_.store(round + 1, std::memory_order_release);
        return;
    }
    for (int spin = 0; round_.load(std::memory_order_acquire) == round; ++spin)
        if (spin > kSpins) std::this_thread::yield();
}

}  // namespace clausal
