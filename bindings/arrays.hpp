// NumPy arrays in and out: borrowed for the call, or owned by a capsule. Type, order of bytes, number of
// axes, layout and whether it may be written are checked by nanobind; alignment and sizes here, naming both.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "bindings/gil.hpp"
#include "core/threads.hpp"

namespace clausal::bindings {

namespace nb = nanobind;

template <class T, std::size_t N>
using In = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

template <class T, std::size_t N>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<N>, nb::c_contig>;

// The values of an array, which must lie where its type may lie: compiled loops rely on it.
template <class Array>
auto view(const Array& array) {
    const std::span values(array.data(), array.size());
    constexpr std::size_t alignment = alignof(typename decltype(values)::value_type);
    if (!values.empty() && reinterpret_cast<std::uintptr_t>(values.data()) % alignment != 0)
        throw std::invalid_argument("an array must be aligned to " + std::to_string(alignment) +
                                    " bytes. Got one that is not.");
    return values;
}

// The product of the sizes of an array's axes. An empty array may have one size of any length, so that the
// sizes of another array made from it may be too large.
inline std::size_t checked_product(std::size_t a, std::size_t b) {
    if (b != 0 && a > static_cast<std::size_t>(PTRDIFF_MAX) / b)
        throw std::invalid_argument("an array must have fewer than 2^63 values. Got " + std::to_string(a) +
                                    " x " + std::to_string(b) + ".");
    return a * b;
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

inline void require_at_most(const char* what, std::size_t got, std::size_t most) {
    if (got > most)
        throw std::invalid_argument(std::string(what) + " must be at most " + std::to_string(most) +
                                    ". Got " + std::to_string(got) + ".");
}

constexpr std::size_t kMostColumns = std::size_t{1} << 31;  // a literal is a uint32

// Asks Python whether a signal (Ctrl-C) is pending; called without the GIL.
inline bool interrupted() {
    const nb::gil_scoped_acquire gil;
    return PyErr_CheckSignals() != 0;
}

// 1 on the main thread, 0 on another, -1 with an error set. For `unless_python_ends`.
inline int is_on_main_thread() {
    PyObject* threading = PyImport_ImportModule("threading");
    PyObject* current = threading ? PyObject_CallMethod(threading, "current_thread", nullptr) : nullptr;
    PyObject* main = current ? PyObject_CallMethod(threading, "main_thread", nullptr) : nullptr;
    const int result = main == nullptr ? -1 : static_cast<int>(current == main);
    Py_XDECREF(main);
    Py_XDECREF(current);
    Py_XDECREF(threading);
    return result;
}

// What a call polls: signals reach only the main thread, so that others need not ask for the GIL.
// Called with the GIL.
inline Poll signal_poll() {
    const int on_main = unless_python_ends(is_on_main_thread);
    if (on_main < 0) throw nb::python_error();
    return on_main ? Poll(interrupted) : Poll();
}

}  // namespace clausal::bindings
