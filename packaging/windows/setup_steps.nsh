; What happens before files are copied: who it is for, where to, and whether that can go well.

; 1 in $Admin: this process may change what is everyone's. The uninstaller needs it too.
!macro FIND_ADMIN un
    Function ${un}FindAdmin
        UserInfo::GetAccountType
        Pop $Admin
        ${If} $Admin == "Admin"
            StrCpy $Admin 1
        ${Else}
            StrCpy $Admin 0
        ${EndIf}
    FunctionEnd
!macroend
!insertmacro FIND_ADMIN ""
!insertmacro FIND_ADMIN "un."

; $0: a folder → $Problem. Windows lets nobody write to a program that runs, nor to one whose workers run.
!macro IS_OPEN un
    Function ${un}LookForOpen
        ${ForEach} $1 1 2 + 1
            StrCpy $2 "$0\${VIEWER}"
            ${If} $1 == 2
                StrCpy $2 "$0\errorflow.exe"
            ${EndIf}
            ${If} ${FileExists} $2
                ClearErrors
                FileOpen $3 $2 a
                ${If} ${Errors}
                    StrCpy $Problem ${RUNNING}
                ${Else}
                    FileClose $3
                ${EndIf}
            ${EndIf}
        ${Next}
        ClearErrors
    FunctionEnd
!macroend
!insertmacro IS_OPEN ""
!insertmacro IS_OPEN "un."

!macro STOP code
    SetErrorLevel ${code}
    Quit
!macroend

; By the context of $Scope: what is installed there, and where this one shall go.
Function UseScope
    ${If} $Scope == "all"
        SetShellVarContext all
        StrCpy $INSTDIR "$PROGRAMFILES64\Errorflow"
    ${Else}
        SetShellVarContext current
        StrCpy $INSTDIR "$LOCALAPPDATA\Programs\Errorflow"
    ${EndIf}
    ReadRegStr $OldFolder SHCTX "${UNINSTALL_KEY}" "InstallLocation"
    ReadRegStr $OldVersion SHCTX "${UNINSTALL_KEY}" "DisplayVersion"
    ${IfNot} ${FileExists} "$OldFolder\uninstall.exe"
        StrCpy $OldFolder ""
    ${EndIf}
    ${If} $GivenFolder != ""
        StrCpy $INSTDIR $GivenFolder
    ${ElseIf} $OldFolder != ""
        StrCpy $INSTDIR $OldFolder
    ${EndIf}
    Call UseChoices
FunctionEnd

; A component as it was chosen last time, or as the command line says.
!macro CHOOSE section name
    ClearErrors
    ReadRegDWORD $0 SHCTX "${CHOICES}" "${name}"
    ${GetParameters} $1
    ${IfNot} ${Errors}
        !insertmacro SET_SECTION ${section} $0
    ${EndIf}
    ClearErrors
    ${GetOptions} $1 "/${name}=" $0
    ${IfNot} ${Errors}
        !insertmacro SET_SECTION ${section} $0
    ${EndIf}
!macroend
!macro SET_SECTION section wanted
    ${If} ${wanted} == 0
        !insertmacro UnselectSection ${section}
    ${Else}
        !insertmacro SelectSection ${section}
    ${EndIf}
!macroend

; → $Problem: why $INSTDIR will not do; 0: it will.
Function CheckFolder
    StrCpy $Problem 0
    StrLen $0 "$INSTDIR"
    IntOp $0 $0 + ${LONGEST}
    IntOp $0 $0 + 1
    ${If} $0 > ${LONGEST_PATH}
        StrCpy $Problem ${WRONG_FOLDER}
        Return
    ${EndIf}
    ; Programs of that name that no installer put there would be overwritten, and later deleted.
    ${IfNot} ${FileExists} "$INSTDIR\uninstall.exe"
        ${If} ${FileExists} "$INSTDIR\${VIEWER}"
        ${OrIf} ${FileExists} "$INSTDIR\errorflow.exe"
            StrCpy $Problem ${WRONG_FOLDER}
            Return
        ${EndIf}
    ${EndIf}
    StrCpy $0 $INSTDIR
    Call LookForOpen
    ${If} $OldFolder != ""
        StrCpy $0 $OldFolder
        Call LookForOpen
    ${EndIf}
FunctionEnd

; The files of the version before, by its own list: this one's may be others.
Function RemoveOld
    ${If} $OldFolder == ""
    ${AndIf} ${FileExists} "$INSTDIR\uninstall.exe"
        StrCpy $OldFolder $INSTDIR ; its keys are gone, its files are not
    ${EndIf}
    ${If} $OldFolder == ""
        Return
    ${EndIf}
    ExecWait '"$OldFolder\uninstall.exe" /S /UPGRADE _?=$OldFolder' $0
    ${If} $0 != 0
        SetErrorLevel ${RUNNING}
        Abort "$(OLD_STAYS)"
    ${EndIf}
    Delete "$OldFolder\uninstall.exe" ; which could not delete itself
    RMDir "$OldFolder"
FunctionEnd
