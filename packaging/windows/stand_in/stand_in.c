/* Stands in for the programs of the bundle where they cannot be built: says what it was started with, or stays open.
   NAME.txt beside it gets the arguments; `--wait` keeps it running for a minute, as a window would. */
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

int main(void)
{
    wchar_t path[MAX_PATH];
    FILE *file;
    GetModuleFileNameW(NULL, path, MAX_PATH - 4);
    wcscat(path, L".txt");
    file = _wfopen(path, L"w, ccs=UTF-8");
    if (file) {
        fwprintf(file, L"%ls\n", GetCommandLineW());
        fclose(file);
    }
    if (wcsstr(GetCommandLineW(), L"--wait"))
        Sleep(60000);
    return 0;
}
