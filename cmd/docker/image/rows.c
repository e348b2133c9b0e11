/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/image/rows.h"

#include "cmd/docker/show/format.h"
#include "cmd/docker/show/human.h"
#include "cmd/docker/show/value.h"
#include "image/table/table.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

#define NONE "<none>"
#define SHORT_ID 12

static const struct format_head heads[] = {
	{"ID", "IMAGE ID"},
	{"Repository", "REPOSITORY"},
	{"Tag", "TAG"},
	{"Digest", "DIGEST"},
	{"CreatedSince", "CREATED"},
	{"CreatedAt", "CREATED AT"},
	{"Size", "SIZE"},
	{"Containers", "CONTAINERS"},
	{"VirtualSize", "SIZE"},
	{"SharedSize", "SHARED SIZE"},
	{"UniqueSize", "UNIQUE SIZE"},
	{NULL, NULL},
};

struct row {
	const struct image_item *item;
	const struct image_rows_how *how;
	const char *repository, *tag, *digest;
	size_t repository_len;
};

static void add_times(struct docker_value *v, const struct row *r)
{
	_strbuf_ struct strbuf at = STRBUF_INIT, since = STRBUF_INIT;
	uint64_t created_s = r->item->record.created_s;

	if (created_s) {
		human_time(&at, created_s * 1000000000u);
		human_ago(&since, created_s * 1000000000u, r->how->now_s * 1000000000u);
	}
	docker_value_str(v, "CreatedAt", created_s ? strbuf_str(&at) : "N/A");
	docker_value_str(v, "CreatedSince", created_s ? strbuf_str(&since) : "N/A");
}

static void add_row(struct docker_value *rows, const struct row *r)
{
	struct docker_value *v = docker_value_add(rows, NULL, DOCKER_VALUE_STRUCT);
	const char *hex = image_id_hex(r->item->record.id);
	_strbuf_ struct strbuf size = STRBUF_INIT, virtual = STRBUF_INIT;

	if (!v)
		return;
	v->type = "*formatter.imageContext";
	human_size(&size, r->item->record.size_bytes, 3);
	human_size(&virtual, r->item->record.size_bytes, 4);
	docker_value_str(v, "Containers", "N/A");
	add_times(v, r);
	docker_value_str(v, "Digest", r->digest);
	if (r->how->no_trunc)
		docker_value_str(v, "ID", r->item->record.id);
	else
		docker_value_strn(v, "ID", hex, SHORT_ID);
	docker_value_strn(v, "Repository", r->repository, r->repository_len);
	docker_value_str(v, "SharedSize", "N/A");
	docker_value_str(v, "Size", strbuf_str(&size));
	docker_value_str(v, "Tag", r->tag);
	docker_value_str(v, "UniqueSize", "N/A");
	docker_value_str(v, "VirtualSize", strbuf_str(&virtual));
}

static bool in_repository(const char *name, const struct row *r)
{
	return image_name_repository_len(name) == r->repository_len &&
	       !memcmp(name, r->repository, r->repository_len);
}

static void add_tag(struct docker_value *rows, struct row *r, const struct strv *names)
{
	bool any = false;

	for (size_t i = 0; r->how->digests && i < names->n; i++) {
		const char *name = image_name_familiar(names->items[i]);
		const char *at = strchr(name, '@');

		if (!at || !in_repository(name, r))
			continue;
		r->digest = at + 1;
		add_row(rows, r);
		any = true;
	}
	r->digest = NONE;
	if (!any)
		add_row(rows, r);
}

static bool has_tag(const struct row *r, const struct strv *names)
{
	for (size_t i = 0; i < names->n; i++) {
		const char *name = image_name_familiar(names->items[i]);

		if (!strchr(name, '@') && in_repository(name, r))
			return true;
	}
	return false;
}

static void add_name(struct docker_value *rows, struct row *r, const char *name,
		     const struct strv *names)
{
	const char *at = strchr(name, '@');

	r->repository = name;
	r->repository_len = image_name_repository_len(name);
	if (!at) {
		r->tag = name + r->repository_len + 1;
		add_tag(rows, r, names);
	} else if (!has_tag(r, names)) {
		r->tag = NONE;
		r->digest = r->how->digests ? at + 1 : "";
		add_row(rows, r);
	}
}

void image_rows_add(struct docker_value *rows, const struct image_item *item,
		    const struct strv *names, const struct image_rows_how *how)
{
	struct row r = {item, how, NONE, NONE, NONE, strlen(NONE)};

	if (!names->n)
		add_row(rows, &r);
	for (size_t i = 0; i < names->n; i++)
		add_name(rows, &r, image_name_familiar(names->items[i]), names);
}

#define CREATED_AND_SIZE "{{if .CreatedSince }}{{.CreatedSince}}{{else}}N/A{{end}}\t{{.Size}}"

int image_rows_print(const struct docker_value *rows, const char *format, bool quiet, bool digests,
		     struct strbuf *out, struct err *e)
{
	bool plain = !format || !*format || str_eq(format, "table");
	struct format f = {.text = format, .heads = heads};

	if (quiet && plain)
		f.text = "{{.ID}}";
	f.table = digests ? "{{.Repository}}\t{{.Tag}}\t{{.Digest}}\t{{.ID}}\t" CREATED_AND_SIZE
			  : "{{.Repository}}\t{{.Tag}}\t{{.ID}}\t" CREATED_AND_SIZE;
	f.raw = quiet     ? "image_id: {{.ID}}"
		: digests ? "repository: {{ .Repository }}\ntag: {{.Tag}}\ndigest: {{.Digest}}\n"
			    "image_id: {{.ID}}\ncreated_at: {{.CreatedAt}}\nvirtual_size: "
			    "{{.Size}}\n"
			  : "repository: {{ .Repository }}\ntag: {{.Tag}}\nimage_id: {{.ID}}\n"
			    "created_at: {{.CreatedAt}}\nvirtual_size: {{.Size}}\n";
	return format_rows(&f, rows, out, e);
}
