// A configuration from any Python object that has its fields as attributes (EngineConfig). Which fields there
// are is said once, in core/config.hpp.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/config.hpp"

namespace clausal::bindings {

template <class T>
T read_fields(nb::handle source);

template <class T>
void read_value(nb::handle value, T& out) {
    if constexpr (std::is_arithmetic_v<T>)
        out = nb::cast<T>(value);
    else
        out = read_fields<T>(value);
}

template <class T>
void read_value(nb::handle value, std::vector<T>& out) {
    const auto array = nb::cast<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>(value, false);
    const auto values = view(array);
    out.assign(values.begin(), values.end());
}

// None leaves a field as it is made.
template <class T>
T read_fields(nb::handle source) {
    T result;
    T::visit_fields([&](const char* name, auto member) {
        const nb::object value = source.attr(name);
        if (value.is_none()) return;
        try {
            read_value(value, result.*member);
        } catch (const nb::cast_error&) {
            throw nb::type_error(
                (std::string("the type of ") + name + " is not what the core takes").c_str());
        }
    });
    return result;
}

inline std::vector<std::string> config_fields() {
    std::vector<std::string> names;
    Config::visit_fields([&](const char* name, auto) { names.emplace_back(name); });
    return names;
}

}  // namespace clausal::bindings
