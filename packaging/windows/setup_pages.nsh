; How it begins, and what the pages ask.

Function .onInit
    ${IfNot} ${AtLeastBuild} ${OLDEST_BUILD}
        MessageBox MB_OK|MB_ICONSTOP "$(WINDOWS_TOO_OLD)" /SD IDOK
        !insertmacro STOP ${TOO_OLD}
    ${EndIf}
    SetRegView 64
    StrCpy $GivenFolder $INSTDIR
    Call FindAdmin
    StrCpy $Scope "user"
    ${GetParameters} $0
    ${GetOptions} $0 "/ALLUSERS" $1
    ${IfNot} ${Errors}
        StrCpy $Scope "all"
        ${If} $Admin != 1
            MessageBox MB_OK|MB_ICONSTOP "$(ADMIN_NEEDED)" /SD IDOK
            !insertmacro STOP ${NEEDS_ADMIN}
        ${EndIf}
    ${EndIf}
    Call UseScope
    ${If} ${Silent}
        Call CheckFolder
        ${If} $Problem != 0
            !insertmacro STOP $Problem
        ${EndIf}
    ${EndIf}
FunctionEnd

; An older one over a newer one is rarely meant.
Function FirstWindow
    ${If} $OldVersion != ""
        ${VersionCompare} "$OldVersion" "${VERSION}" $0
        ${If} $0 == 1
        ${AndIf} ${Cmd} `MessageBox MB_YESNO|MB_ICONQUESTION|MB_DEFBUTTON2 "$(NEWER_IS_THERE)" IDNO`
            !insertmacro STOP 1
        ${EndIf}
    ${EndIf}
FunctionEnd

; Started anew with more rights from the page that asks: welcome was said.
Function SkipIfRaised
    ${If} $Scope == "all"
        Abort
    ${EndIf}
FunctionEnd

Function AskScope
    ${If} $Scope == "all"
        Abort
    ${EndIf}
    !insertmacro MUI_HEADER_TEXT "$(SCOPE_TITLE)" "$(SCOPE_SUBTITLE)"
    nsDialogs::Create 1018
    Pop $0
    ${If} $0 == error
        Abort
    ${EndIf}
    ${NSD_CreateRadioButton} 8u 12u -16u 12u "$(FOR_ME)"
    Pop $ForMe
    ${NSD_CreateLabel} 20u 26u -28u 20u "$(ABOUT_FOR_ME)"
    Pop $0
    ${NSD_CreateRadioButton} 8u 54u -16u 12u "$(FOR_ALL)"
    Pop $ForAll
    ${NSD_CreateLabel} 20u 68u -28u 20u "$(ABOUT_FOR_ALL)"
    Pop $0
    ${NSD_Check} $ForMe
    ${NSD_OnClick} $ForMe ShowShield
    ${NSD_OnClick} $ForAll ShowShield
    nsDialogs::Show
FunctionEnd

; The button says by its shield that Windows will ask.
Function ShowShield
    Pop $0
    ${If} $Admin == 1
        Return
    ${EndIf}
    GetDlgItem $0 $HWNDPARENT 1
    ${NSD_GetState} $ForAll $1
    SendMessage $0 ${BCM_SETSHIELD} 0 $1
FunctionEnd

Function TakeScope
    ${NSD_GetState} $ForAll $0
    ${If} $0 != ${BST_CHECKED}
        Return
    ${EndIf}
    ${If} $Admin == 1
        StrCpy $Scope "all"
        Call UseScope
        Return
    ${EndIf}
    ClearErrors
    ExecShell "runas" "$EXEPATH" "/ALLUSERS"
    ${If} ${Errors}
        MessageBox MB_OK|MB_ICONEXCLAMATION "$(ADMIN_NEEDED)"
        Abort
    ${EndIf}
    Quit
FunctionEnd

Function TakeFolder
    again:
    Call CheckFolder
    ${If} $Problem == ${WRONG_FOLDER}
        MessageBox MB_OK|MB_ICONEXCLAMATION "$(FOLDER_WILL_NOT_DO)"
        Abort
    ${EndIf}
    ${If} $Problem == ${RUNNING}
        MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(CLOSE_FIRST)" IDRETRY again
        Abort
    ${EndIf}
FunctionEnd

; By the desktop, so that the app does not run with the installer's rights.
Function StartApp
    Exec '"$WINDIR\explorer.exe" "$INSTDIR\${VIEWER}"'
FunctionEnd

Function un.onInit
    SetRegView 64
    StrCpy $0 $INSTDIR 1 -1
    ${If} $0 == "\"
        StrCpy $INSTDIR $INSTDIR -1 ; so that it is what the registry says
    ${EndIf}
    Call un.FindAdmin
    SetShellVarContext all
    ReadRegStr $0 SHCTX "${UNINSTALL_KEY}" "InstallLocation"
    ${If} $0 != $INSTDIR
        SetShellVarContext current
    ${ElseIf} $Admin != 1
        ${IfNot} ${Silent}
            ExecShell "runas" "$INSTDIR\uninstall.exe" "/ALLUSERS"
        ${EndIf}
        !insertmacro STOP ${NEEDS_ADMIN}
    ${EndIf}
    ${If} ${Silent}
        StrCpy $Problem 0
        StrCpy $0 $INSTDIR
        Call un.LookForOpen
        ${If} $Problem != 0
            !insertmacro STOP $Problem
        ${EndIf}
    ${EndIf}
FunctionEnd

Function un.AskToClose
    again:
    StrCpy $Problem 0
    StrCpy $0 $INSTDIR
    Call un.LookForOpen
    ${If} $Problem != 0
        MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(CLOSE_FIRST)" IDRETRY again
        Abort
    ${EndIf}
FunctionEnd
