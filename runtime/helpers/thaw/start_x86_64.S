/* SPDX-License-Identifier: Apache-2.0 */
/* Entry of csbx-thaw: all it is told is on the stack. */
	.text
	.globl	_start
	.type	_start, @function
_start:
	xorl	%ebp, %ebp
	movq	%rsp, %rdi
	andq	$-16, %rsp
	call	thaw_main
	hlt
	.size	_start, . - _start
	.section .note.GNU-stack, "", @progbits
