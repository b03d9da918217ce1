#ifndef STORAGE_FILE_KIND_H
#define STORAGE_FILE_KIND_H

/* What a set of files consists of. */
enum file_kind { FILES_DATA, FILES_HARD_LINKS, FILES_SYMBOLIC_LINKS };

#endif
