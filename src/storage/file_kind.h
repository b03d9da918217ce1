#ifndef STORAGE_FILE_KIND_H
#define STORAGE_FILE_KIND_H

/* The kind of the files in a set. */
enum file_kind { FILES_DATA, FILES_HARD_LINKS, FILES_SYMBOLIC_LINKS };

#endif
