/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/frame/cmd.h"

#include "cmd/frame/frame.h"

struct opt_parser frame_parser(const struct verb *v)
{
	return (struct opt_parser){
		.uses = v->uses,
		.letters = v->letters,
		.first_operand_ends = v->flags & VERB_OPERAND_ENDS,
	};
}
