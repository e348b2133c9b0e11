/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/markdown.h"

#include <string.h>

#include "tests/unit/tap.h"

static void takes(enum eval_lang lang, const char *text, const char *code, const char *what)
{
	_strbuf_ struct strbuf b = STRBUF_INIT;

	strbuf_addstr(&b, text);
	markdown_take_code(lang, &b);
	is_str(strbuf_str(&b), code, "%s", what);
}

static void test_blocks(void)
{
	takes(EVAL_PYTHON, "Sure:\n\n```python\nx = 1\n```\nand more", "x = 1\n",
	      "the marked block");
	takes(EVAL_PYTHON, "```\na\n```\n```py\nb\n```\n```python\nc\n```", "b\n",
	      "the first marked one");
	takes(EVAL_PYTHON, "```sh\npip\n```\n```\na\n```\n```\nb\n```", "a\n",
	      "else the first unmarked one");
	takes(EVAL_BASH, "```python\nx\n```\n~~~ Shell\nls\n~~~\n", "ls\n",
	      "tildes, any case, a blank");
	takes(EVAL_NODE, "```{.js .numberLines}\ny\n```", "y\n", "pandoc's mark");
	takes(EVAL_C, "```c:main.c\nint x;\n```", "int x;\n", "a mark with a file name");
	takes(EVAL_C, "```cpp\nint x;\n```", "```cpp\nint x;\n```", "another language is not c");
}

static void test_fences(void)
{
	takes(EVAL_PYTHON, "````python\n```\nx\n```\n````\n", "```\nx\n```\n", "a longer fence");
	takes(EVAL_PYTHON, "```python\nx\n~~~\ny\n```", "x\n~~~\ny\n",
	      "another mark closes nothing");
	takes(EVAL_PYTHON, "```python\ns = '\n```js\n'\n```\n", "s = '\n```js\n'\n",
	      "a fence with a word closes nothing");
	takes(EVAL_PYTHON, "```python\nx = 1", "x = 1", "one that is not closed");
	takes(EVAL_PYTHON, "```python\r\nx = 1\r\n```\r\n", "x = 1\r\n", "lines of another system");
	takes(EVAL_PYTHON, "1. so\n   ```python\n   if x:\n       y\n   ```\n", "if x:\n    y\n",
	      "the fence's indentation goes");
	takes(EVAL_PYTHON, "    ```python\n    x\n", "    ```python\n    x\n",
	      "four blanks are no fence");
	takes(EVAL_PYTHON, "```python x``` is a word\n", "```python x``` is a word\n",
	      "nor is code in a sentence");
	takes(EVAL_PYTHON, "``x``", "``x``", "two are none");
}

static void test_texts(void)
{
	takes(EVAL_PYTHON, "x = 1\n", "x = 1\n", "a program is left alone");
	takes(EVAL_PYTHON, "", "", "so is nothing");
	takes(EVAL_PYTHON, "```python", "", "an opening fence alone");
	takes(EVAL_PYTHON, "```python\n```\n", "", "an empty block is an empty program");
}

int main(void)
{
	test_blocks();
	test_fences();
	test_texts();
	return done_testing();
}
