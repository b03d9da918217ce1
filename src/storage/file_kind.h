#ifndef STORAGE_FILE_KIND_H
#define STORAGE_FILE_KIND_H

/* What the files of a set are. */
enum file_kind { FILES_DATA, FILES_HARD_LINKS, FILES_SYMBOLIC_LINKS };

#endif
