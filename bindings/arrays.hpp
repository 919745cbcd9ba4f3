// NumPy arrays in and out: borrowed for the call, or owned by a capsule. Sizes are checked here, naming both.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "core/threads.hpp"

namespace clausal::bindings {

namespace nb = nanobind;

template <class T, std::size_t N>
using In = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

template <class T, std::size_t N>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<N>, nb::c_contig>;

template <class Array>
auto view(const Array& array) {
    return std::span(array.data(), array.size());
}

template <class T, std::size_t N>
Out<T, N> owned(std::unique_ptr<T[]> data, const std::size_t (&shape)[N]) {
    T* pointer = data.get();
    nb::capsule owner(pointer, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    data.release();
    return Out<T, N>(pointer, N, shape, owner);
}

inline void require_size(const char* what, std::size_t got, std::size_t wanted) {
    if (got != wanted)
        throw std::invalid_argument(std::string(what) + " must be " + std::to_string(wanted) + ". Got " +
                                    std::to_string(got) + ".");
}

// Asks Python whether a signal (Ctrl-C) is pending; called without the GIL.
inline bool interrupted() {
    const nb::gil_scoped_acquire gil;
    return PyErr_CheckSignals() != 0;
}

// What a call polls: signals reach only the main thread, so that others need not ask for the GIL.
// Called with the GIL.
inline Poll signal_poll() {
    const nb::module_ threading = nb::module_::import_("threading");
    const bool on_main = threading.attr("current_thread")().is(threading.attr("main_thread")());
    return on_main ? Poll(interrupted) : Poll();
}

}  // namespace clausal::bindings
