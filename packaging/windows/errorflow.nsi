; The installer for Windows. `make_setup.py` compiles it: it lists the bundle's files and gives what is asked for here.
;   VERSION, NUMBERS   0.1.0, 0.1.0.0
;   FILES              folder with install.nsh and uninstall.nsh, made from the bundle
;   SIZE, LONGEST      of the bundle in KB; characters of the longest path in it
;   OUT                the installer to write
;   STUB               amd64-unicode, or x86-unicode where NSIS has no other
;   SIGN               a command that signs the file it is given; optional
;   WEAK               packs fast and badly, to try things out; optional
; By hand or by a script: setup.exe [/S] [/ALLUSERS] [/STARTMENU=0] [/DESKTOP=1] [/ASSOCIATIONS=0] [/D=C:\folder]
; Exit codes: 0 done, 1 cancelled, 2 a file could not be written, 3 Errorflow is open, 4 the folder will not do,
;   5 everyone's installation needs an administrator, 6 this Windows is too old. The uninstaller has 0, 1, 3 and 5.
Unicode true
Target ${STUB}
!ifdef WEAK
    SetCompressor zlib
!else
    SetCompressor /SOLID lzma
    SetCompressorDictSize 64
!endif
RequestExecutionLevel user
ManifestSupportedOS all
ManifestLongPathAware true
ManifestDPIAware true
CRCCheck force
AllowSkipFiles off
ShowInstDetails nevershow
ShowUninstDetails nevershow
SetOverwrite on

!include "MUI2.nsh"
!include "nsDialogs.nsh"
!include "LogicLib.nsh"
!include "FileFunc.nsh"
!include "WordFunc.nsh"
!include "WinVer.nsh"
!include "x64.nsh"
!include "Sections.nsh"
!include "Integration.nsh"

!define ID "io.github.errorflow.Errorflow"
!define SITE "https://errorflow.github.io"
!define UNINSTALL_KEYS "Software\Microsoft\Windows\CurrentVersion\Uninstall"
!define UNINSTALL_KEY "${UNINSTALL_KEYS}\${ID}"
!define APP_PATHS "Software\Microsoft\Windows\CurrentVersion\App Paths"
; The window keeps its settings beside these two, which are not ours to delete.
!define OWN_KEY "Software\Errorflow"
!define CHOICES "${OWN_KEY}\Installer"
!define CAPABILITIES "${OWN_KEY}\Capabilities"
!define CLASSES "Software\Classes"
!define SESSION "Errorflow.Session"
!define ONNX "Errorflow.Model"
!define VIEWER "errorflow-viewer.exe"
!define MENU "$SMPROGRAMS\Errorflow"
!define OLDEST_BUILD 17763 ; Windows 10 1809, the oldest that Qt runs on
!define LONGEST_PATH 259

!define RUNNING 3
!define WRONG_FOLDER 4
!define NEEDS_ADMIN 5
!define TOO_OLD 6

Name "Errorflow"
Caption "Errorflow ${VERSION}"
BrandingText "Errorflow ${VERSION}"
OutFile "${OUT}"
InstallDir ""

!ifdef SIGN
    !uninstfinalize '${SIGN} "%1"' = 0
    !finalize '${SIGN} "%1"' = 0
!endif

VIProductVersion "${NUMBERS}"
VIFileVersion "${NUMBERS}"
!macro FACTS language description
    VIAddVersionKey /LANG=${language} "ProductName" "Errorflow"
    VIAddVersionKey /LANG=${language} "ProductVersion" "${VERSION}"
    VIAddVersionKey /LANG=${language} "FileVersion" "${VERSION}"
    VIAddVersionKey /LANG=${language} "FileDescription" "${description}"
    VIAddVersionKey /LANG=${language} "CompanyName" "Errorflow"
    VIAddVersionKey /LANG=${language} "LegalCopyright" "© The Errorflow authors, Apache License 2.0"
    VIAddVersionKey /LANG=${language} "OriginalFilename" "errorflow-${VERSION}-setup.exe"
!macroend
!insertmacro FACTS 1033 "Installs Errorflow"
!insertmacro FACTS 2052 "Errorflow 安装程序"

; --- what is asked for and found ---------------------------------------------------------------------------------

Var Scope ; user, all
Var GivenFolder ; by /D=
Var OldFolder ; of the version that is installed in this scope; empty: none is
Var OldVersion
Var Admin ; 1: may change what is everyone's
Var Problem ; why it does not go on: the exit code
Var ForMe
Var ForAll

; --- pages -------------------------------------------------------------------------------------------------------

!define DOCUMENT_ICONS "..\..\resources\errorflow_resources\icons\document"
!define MUI_ICON "errorflow.ico"
!define MUI_UNICON "errorflow.ico"
!define MUI_WELCOMEFINISHPAGE_BITMAP "welcome.bmp"
!define MUI_UNWELCOMEFINISHPAGE_BITMAP "welcome.bmp"
!define MUI_HEADERIMAGE
!define MUI_HEADERIMAGE_RIGHT
!define MUI_HEADERIMAGE_BITMAP "header.bmp"
!define MUI_HEADERIMAGE_UNBITMAP "header.bmp"
!define MUI_ABORTWARNING
!define MUI_ABORTWARNING_CANCEL_DEFAULT
!define MUI_COMPONENTSPAGE_SMALLDESC
!define MUI_CUSTOMFUNCTION_GUIINIT FirstWindow

!define MUI_PAGE_CUSTOMFUNCTION_PRE SkipIfRaised
!define MUI_WELCOMEPAGE_TEXT "$(WELCOME)"
!insertmacro MUI_PAGE_WELCOME
!insertmacro MUI_PAGE_LICENSE "..\..\LICENSE"
Page custom AskScope TakeScope
!insertmacro MUI_PAGE_COMPONENTS
!define MUI_PAGE_CUSTOMFUNCTION_LEAVE TakeFolder
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!define MUI_FINISHPAGE_RUN
!define MUI_FINISHPAGE_RUN_TEXT "$(RUN)"
!define MUI_FINISHPAGE_RUN_FUNCTION StartApp
!define MUI_FINISHPAGE_NOREBOOTSUPPORT
!insertmacro MUI_PAGE_FINISH

!define MUI_PAGE_CUSTOMFUNCTION_LEAVE un.AskToClose
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES

!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "SimpChinese"
!include "setup_english.nsh"
!include "setup_chinese.nsh"

!include "setup_steps.nsh"

; --- what is installed -------------------------------------------------------------------------------------------

Section "-old"
    Call RemoveOld
SectionEnd

Section "$(PROGRAM)" SECTION_PROGRAM
    SectionIn RO
    !include "${FILES}/install.nsh"
    SetOutPath "$INSTDIR"
    File "errorflow.ico"
    File /oname=errorflow-session.ico "${DOCUMENT_ICONS}\session.ico"
    File /oname=errorflow-model.ico "${DOCUMENT_ICONS}\model.ico"
    File /oname=LICENSE.txt "..\..\LICENSE"
    WriteUninstaller "$INSTDIR\uninstall.exe"
    Call WriteFacts
SectionEnd

Section "$(START_MENU)" SECTION_MENU
    CreateDirectory "${MENU}"
    CreateShortcut "${MENU}\Errorflow.lnk" "$INSTDIR\${VIEWER}" "" "" 0 SW_SHOWNORMAL "" "$(COMMENT)"
    CreateShortcut /NoWorkingDir "${MENU}\Errorflow command line.lnk" "$SYSDIR\cmd.exe" \
        '/k "cd /d "%USERPROFILE%" & set "PATH=$INSTDIR;%PATH%" & errorflow --help"' "$INSTDIR\errorflow.exe" 0
SectionEnd

Section "$(ASSOCIATIONS)" SECTION_FILES
    Call WriteAssociations
SectionEnd

Section /o "$(DESKTOP_LINK)" SECTION_DESKTOP
    CreateShortcut "$DESKTOP\Errorflow.lnk" "$INSTDIR\${VIEWER}" "" "" 0 SW_SHOWNORMAL "" "$(COMMENT)"
SectionEnd

Section "-tidy"
    Call RemoveUnchosen
    Call KeepChoices
    ${NotifyShell_AssocChanged}
SectionEnd

!insertmacro MUI_FUNCTION_DESCRIPTION_BEGIN
    !insertmacro MUI_DESCRIPTION_TEXT ${SECTION_PROGRAM} "$(ABOUT_PROGRAM)"
    !insertmacro MUI_DESCRIPTION_TEXT ${SECTION_MENU} "$(ABOUT_START_MENU)"
    !insertmacro MUI_DESCRIPTION_TEXT ${SECTION_FILES} "$(ABOUT_ASSOCIATIONS)"
    !insertmacro MUI_DESCRIPTION_TEXT ${SECTION_DESKTOP} "$(ABOUT_DESKTOP_LINK)"
!insertmacro MUI_FUNCTION_DESCRIPTION_END

!include "setup_registry.nsh"
!include "setup_pages.nsh"

; --- and taken away ----------------------------------------------------------------------------------------------

Section "Uninstall"
    ; File by file, and folders only when they are empty: what somebody put beside them stays.
    !include "${FILES}/uninstall.nsh"
    Delete "$INSTDIR\errorflow.ico"
    Delete "$INSTDIR\errorflow-session.ico"
    Delete "$INSTDIR\errorflow-model.ico"
    Delete "$INSTDIR\LICENSE.txt"
    Delete "$INSTDIR\uninstall.exe"
    SetOutPath "$TEMP" ; a folder that one stands in cannot be removed
    RMDir "$INSTDIR"
    ${GetParameters} $0
    ${GetOptions} $0 "/UPGRADE" $1
    ${IfNot} ${Errors}
        Return ; the newer version goes on with shortcuts (which may be pinned) and keys
    ${EndIf}
    Call un.RemoveShortcuts
    Call un.RemoveAssociations
    Call un.RemoveFacts
    ${NotifyShell_AssocChanged}
SectionEnd
