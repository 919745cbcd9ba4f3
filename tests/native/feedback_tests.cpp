// Which feedback clauses get and which automata then move, on a few bits.
#include "tests/native/feedback_tests.hpp"

#include "core/feedback.hpp"

using namespace clausal;

void test_feedback(const Expect& expect) {
    const FeedbackTypes types = feedback_types(0b111110, 0b111000, 0b110100, 0b100000);
    expect(types.type_1a == 0b100000 && types.type_1b == 0b011000 && types.type_2 == 0b000100,
           "clauses are classified");
    const auto plain = type_1a_moves<unsigned>(0b1100, 0b1010, false);
    expect(plain.up == 0b0100 && plain.down == 0b0010, "Type Ia moves automata");
    expect(type_1a_moves<unsigned>(0b1100, 0b1010, true).up == 0b1100, "Type Ia is boosted");
    expect(type_1b_moves<unsigned>(0b1010).down == 0b1010, "Type Ib moves automata");
    expect((type_2_moves<unsigned>(0b1100).up & 0b1111) == 0b0011, "Type II moves automata");
}
