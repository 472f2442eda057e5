; Keys and shortcuts: written, and taken away without a trace and without touching what is somebody else's.
; SHCTX is the user's part of the registry, or everyone's.

Function UseChoices
    !insertmacro CHOOSE ${SECTION_MENU} "STARTMENU"
    !insertmacro CHOOSE ${SECTION_FILES} "ASSOCIATIONS"
    !insertmacro CHOOSE ${SECTION_DESKTOP} "DESKTOP"
FunctionEnd

!macro KEEP section name
    ${If} ${SectionIsSelected} ${section}
        WriteRegDWORD SHCTX "${CHOICES}" "${name}" 1
    ${Else}
        WriteRegDWORD SHCTX "${CHOICES}" "${name}" 0
    ${EndIf}
!macroend

; For the next version, which asks again with these answers.
Function KeepChoices
    !insertmacro KEEP ${SECTION_MENU} "STARTMENU"
    !insertmacro KEEP ${SECTION_FILES} "ASSOCIATIONS"
    !insertmacro KEEP ${SECTION_DESKTOP} "DESKTOP"
FunctionEnd

; What the version before had and this one shall not have any more.
Function RemoveUnchosen
    ${IfNot} ${SectionIsSelected} ${SECTION_MENU}
        Call RemoveMenu
    ${EndIf}
    ${IfNot} ${SectionIsSelected} ${SECTION_DESKTOP}
        Delete "$DESKTOP\Errorflow.lnk"
    ${EndIf}
    ${IfNot} ${SectionIsSelected} ${SECTION_FILES}
        Call RemoveAssociations
    ${EndIf}
FunctionEnd

; What Settings → Apps shows, and how Win+R and other programs find these.
Function WriteFacts
    StrCpy $1 ""
    ${If} $Scope == "all"
        StrCpy $1 " /ALLUSERS"
    ${EndIf}
    WriteRegStr SHCTX "${UNINSTALL_KEY}" "DisplayName" "Errorflow"
    WriteRegStr SHCTX "${UNINSTALL_KEY}" "DisplayVersion" "${VERSION}"
    WriteRegStr SHCTX "${UNINSTALL_KEY}" "DisplayIcon" "$INSTDIR\${VIEWER},0"
    WriteRegStr SHCTX "${UNINSTALL_KEY}" "Publisher" "Errorflow"
    WriteRegStr SHCTX "${UNINSTALL_KEY}" "Comments" "$(COMMENT)"
    WriteRegStr SHCTX "${UNINSTALL_KEY}" "URLInfoAbout" "${SITE}"
    WriteRegStr SHCTX "${UNINSTALL_KEY}" "HelpLink" "${SITE}"
    WriteRegStr SHCTX "${UNINSTALL_KEY}" "InstallLocation" "$INSTDIR"
    WriteRegStr SHCTX "${UNINSTALL_KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"$1'
    WriteRegStr SHCTX "${UNINSTALL_KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe"$1 /S'
    WriteRegDWORD SHCTX "${UNINSTALL_KEY}" "EstimatedSize" ${SIZE}
    WriteRegDWORD SHCTX "${UNINSTALL_KEY}" "VersionMajor" ${MAJOR}
    WriteRegDWORD SHCTX "${UNINSTALL_KEY}" "VersionMinor" ${MINOR}
    WriteRegDWORD SHCTX "${UNINSTALL_KEY}" "NoModify" 1
    WriteRegDWORD SHCTX "${UNINSTALL_KEY}" "NoRepair" 1
    ${GetTime} "" "L" $0 $1 $2 $3 $4 $5 $6 ; day, month, year, …
    WriteRegStr SHCTX "${UNINSTALL_KEY}" "InstallDate" "$2$1$0"
    WriteRegStr SHCTX "${APP_PATHS}\${VIEWER}" "" "$INSTDIR\${VIEWER}"
    WriteRegStr SHCTX "${APP_PATHS}\errorflow.exe" "" "$INSTDIR\errorflow.exe"
FunctionEnd

Function un.RemoveFacts
    DeleteRegKey SHCTX "${UNINSTALL_KEY}"
    DeleteRegKey /ifempty HKCU "${UNINSTALL_KEYS}" ; Windows makes these for everyone, but not for each user
    DeleteRegKey SHCTX "${APP_PATHS}\${VIEWER}"
    DeleteRegKey SHCTX "${APP_PATHS}\errorflow.exe"
    DeleteRegKey /ifempty HKCU "${APP_PATHS}"
    DeleteRegKey SHCTX "${CHOICES}"
    DeleteRegKey /ifempty SHCTX "${OWN_KEY}"
FunctionEnd

!macro PROGRAM_ID id name icon
    WriteRegStr SHCTX "${CLASSES}\${id}" "" "${name}"
    WriteRegStr SHCTX "${CLASSES}\${id}" "FriendlyTypeName" "${name}"
    WriteRegStr SHCTX "${CLASSES}\${id}\DefaultIcon" "" "${icon}"
    WriteRegStr SHCTX "${CLASSES}\${id}\Application" "ApplicationName" "Errorflow"
    WriteRegStr SHCTX "${CLASSES}\${id}\Application" "ApplicationIcon" "$INSTDIR\${VIEWER},0"
    WriteRegStr SHCTX "${CLASSES}\${id}\shell\open" "FriendlyAppName" "Errorflow"
    WriteRegStr SHCTX "${CLASSES}\${id}\shell\open\command" "" '"$INSTDIR\${VIEWER}" "%1"'
!macroend

; Sessions are ours. ONNX models are everybody's: offered under “Open with” and in Settings → Default apps, no more.
Function WriteAssociations
    !insertmacro PROGRAM_ID "${SESSION}" "$(SESSION_FILE)" "$INSTDIR\errorflow-session.ico"
    !insertmacro PROGRAM_ID "${ONNX}" "$(ONNX_FILE)" "$INSTDIR\errorflow-model.ico"
    WriteRegStr SHCTX "${CLASSES}\.errorflow" "" "${SESSION}"
    WriteRegStr SHCTX "${CLASSES}\.errorflow" "Content Type" "application/x-errorflow-session"
    WriteRegStr SHCTX "${CLASSES}\.errorflow\OpenWithProgids" "${SESSION}" ""
    WriteRegStr SHCTX "${CLASSES}\.onnx\OpenWithProgids" "${ONNX}" ""
    WriteRegStr SHCTX "${CLASSES}\Applications\${VIEWER}" "FriendlyAppName" "Errorflow"
    WriteRegStr SHCTX "${CLASSES}\Applications\${VIEWER}\SupportedTypes" ".errorflow" ""
    WriteRegStr SHCTX "${CLASSES}\Applications\${VIEWER}\SupportedTypes" ".onnx" ""
    WriteRegStr SHCTX "${CLASSES}\Applications\${VIEWER}\shell\open\command" "" '"$INSTDIR\${VIEWER}" "%1"'
    WriteRegStr SHCTX "${CAPABILITIES}" "ApplicationName" "Errorflow"
    WriteRegStr SHCTX "${CAPABILITIES}" "ApplicationDescription" "$(COMMENT)"
    WriteRegStr SHCTX "${CAPABILITIES}" "ApplicationIcon" "$INSTDIR\${VIEWER},0"
    WriteRegStr SHCTX "${CAPABILITIES}\FileAssociations" ".errorflow" "${SESSION}"
    WriteRegStr SHCTX "${CAPABILITIES}\FileAssociations" ".onnx" "${ONNX}"
    WriteRegStr SHCTX "Software\RegisteredApplications" "Errorflow" "${CAPABILITIES}"
FunctionEnd

!macro REMOVERS un
    Function ${un}RemoveMenu
        Delete "${MENU}\Errorflow.lnk"
        Delete "${MENU}\Errorflow command line.lnk"
        RMDir "${MENU}"
    FunctionEnd

    Function ${un}RemoveAssociations
        DeleteRegKey SHCTX "${CLASSES}\${SESSION}"
        DeleteRegKey SHCTX "${CLASSES}\${ONNX}"
        DeleteRegKey SHCTX "${CLASSES}\Applications\${VIEWER}"
        DeleteRegKey /ifempty HKCU "${CLASSES}\Applications"
        DeleteRegKey SHCTX "${CAPABILITIES}"
        DeleteRegValue SHCTX "Software\RegisteredApplications" "Errorflow"
        DeleteRegKey /ifempty HKCU "Software\RegisteredApplications"
        DeleteRegValue SHCTX "${CLASSES}\.onnx\OpenWithProgids" "${ONNX}"
        DeleteRegKey /ifempty SHCTX "${CLASSES}\.onnx\OpenWithProgids"
        DeleteRegKey /ifempty SHCTX "${CLASSES}\.onnx"
        DeleteRegValue SHCTX "${CLASSES}\.errorflow\OpenWithProgids" "${SESSION}"
        DeleteRegKey /ifempty SHCTX "${CLASSES}\.errorflow\OpenWithProgids"
        ; Whoever took the type over since then keeps it.
        ReadRegStr $0 SHCTX "${CLASSES}\.errorflow" ""
        ${If} $0 == "${SESSION}"
            DeleteRegValue SHCTX "${CLASSES}\.errorflow" ""
            DeleteRegValue SHCTX "${CLASSES}\.errorflow" "Content Type"
        ${EndIf}
        DeleteRegKey /ifempty SHCTX "${CLASSES}\.errorflow"
    FunctionEnd
!macroend
!insertmacro REMOVERS ""
!insertmacro REMOVERS "un."

Function un.RemoveShortcuts
    Call un.RemoveMenu
    Delete "$DESKTOP\Errorflow.lnk"
FunctionEnd
