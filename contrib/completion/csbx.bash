# SPDX-License-Identifier: Apache-2.0
# bash completion for csbx: the candidates come from csbx itself.

_csbx()
{
	local -a words=()
	local i word cur candidate

	# Readline cuts words at '=' and ':'; csbx wants them whole.
	for ((i = 1; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if ((${#words[@]})) && [[ $word == [=:]* || ${COMP_WORDS[i - 1]} == *[=:] ]]; then
			words[-1]+=$word
		else
			words+=("$word")
		fi
	done
	cur=${words[-1]-}
	COMPREPLY=()
	while IFS=$'\t' read -r candidate _; do
		case $candidate in
		:file | :0) compopt -o filenames -o default 2>/dev/null ;;
		:dir) compopt -o filenames -o dirnames 2>/dev/null ;;
		:[0-9]*) ;;
		# Only what stands behind the last cut is replaced on the line.
		*) COMPREPLY+=("${candidate#"${cur%"${cur##*[=:]}"}"}") ;;
		esac
	done < <("${COMP_WORDS[0]}" __complete "${words[@]}" 2>/dev/null)
}

complete -F _csbx csbx

# Programs of csbx's in the place of docker and enroot (csbx shims) answer as csbx does. Read this file in
# ~/.bashrc for that: the shell looks for it by the name csbx alone.
_csbx_shims()
{
	local name path

	for name in docker enroot; do
		path=$(type -P "$name") || continue
		if [[ $(readlink -f "$path") == */csbx ]] || grep -q '^# a shim of csbx$' "$path" 2>/dev/null; then
			complete -F _csbx "$name"
		fi
	done
}
_csbx_shims
unset -f _csbx_shims
