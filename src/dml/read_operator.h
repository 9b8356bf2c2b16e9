#pragma once

#include "dml/interfaces.h"
#include "weft/operator.h"

namespace weft::dml {

// The operator that a desc describes, checked as a whole. Nothing in the result points into the
// desc. A desc whose pointers are null or whose counts are absurd is refused, not followed.
// Of a fused activation's desc only the fields of the named type are read.
//
// Throws weft::Error (invalid_argument, every broken rule; unsupported: an operator of DirectML
// that Weft does not have, by name).
OperatorParams read_operator(const DML_OPERATOR_DESC* desc);

}  // namespace weft::dml
