// The GIL given up for a call, and Python asked for something by a thread that Python may want to end.
//
// A daemon thread that asks for the GIL after the main thread has ended is ended by Python (before 3.14) with
// pthread_exit, which on Linux unwinds the stack. That would abort the process at the first frame that must
// not throw, such as a destructor or nanobind's own. Such a thread waits here instead, until the process
// ends.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <thread>

namespace clausal::bindings {

[[noreturn]] inline void wait_forever() {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

// call(), which must use Python's C functions only: nothing that throws, nothing to destroy.
template <class Call>
auto unless_python_ends(const Call& call) {
    try {
        return call();
    } catch (...) {  // the unwinding of pthread_exit; this handler must never be left
        wait_forever();
    }
}

// Gives up the GIL until the end of the block.
class GilRelease {
  public:
    GilRelease() : state_(PyEval_SaveThread()) {}
    GilRelease(const GilRelease&) = delete;
    GilRelease& operator=(const GilRelease&) = delete;
    ~GilRelease() {
        unless_python_ends([this] { PyEval_RestoreThread(state_); });
    }

  private:
    PyThreadState* state_;
};

}  // namespace clausal::bindings
