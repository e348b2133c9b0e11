/* SPDX-License-Identifier: Apache-2.0 */
/* Entry of csbx-init. It takes nothing from argv: all it needs is in the message (init_abi.h). */
	.text
	.globl	_start
	.hidden	_start
	.type	_start, @function
_start:
	xorl	%ebp, %ebp
	andq	$-16, %rsp
	call	init_main
	hlt
	.size	_start, . - _start
	.section .note.GNU-stack, "", @progbits
