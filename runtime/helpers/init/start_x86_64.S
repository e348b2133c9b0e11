/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entry of csbx-init. It takes nothing from argv: all it needs is in the message (init_abi.h).
 * csbx-doze is given the address of its arguments.
 */
	.text
	.globl	_start
	.hidden	_start
	.type	_start, @function
_start:
	xorl	%ebp, %ebp
	movq	%rsp, %rdi
	andq	$-16, %rsp
	call	init_main
	hlt
	.size	_start, . - _start
	.section .note.GNU-stack, "", @progbits
