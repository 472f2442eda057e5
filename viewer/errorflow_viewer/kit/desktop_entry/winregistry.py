"""The registry of Windows, as far as it is this user's."""

import sys

if sys.platform == "win32":
    import ctypes
    import winreg

    # Tells the shell that it opens some kind of files otherwise from now on.
    _ASSOCIATIONS_CHANGED = 0x08000000

    class UserRegistry:
        """Registry below HKEY_CURRENT_USER."""

        def get(self, key: str, name: str) -> str | None:
            try:
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, key) as opened:
                    return str(winreg.QueryValueEx(opened, name)[0])
            except OSError:
                return None

        def set(self, key: str, name: str, value: str) -> None:
            with winreg.CreateKeyEx(winreg.HKEY_CURRENT_USER, key, 0, winreg.KEY_SET_VALUE) as opened:
                winreg.SetValueEx(opened, name, 0, winreg.REG_SZ, value)

        def forget(self, key: str, name: str) -> bool:
            try:
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, key, 0, winreg.KEY_SET_VALUE) as opened:
                    winreg.DeleteValue(opened, name)
            except OSError:
                return False
            return True

        def remove(self, key: str) -> bool:
            """Removes a key with all that is below it."""
            for name in self._below(key):
                self.remove(f"{key}\\{name}")
            try:
                winreg.DeleteKey(winreg.HKEY_CURRENT_USER, key)
            except OSError:
                return False
            return True

        def is_empty(self, key: str) -> bool:
            try:
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, key) as opened:
                    keys, values, _ = winreg.QueryInfoKey(opened)
            except OSError:
                return False
            return keys == values == 0

        def announce(self) -> None:
            ctypes.windll.shell32.SHChangeNotify(_ASSOCIATIONS_CHANGED, 0, None, None)

        def _below(self, key: str) -> list[str]:
            try:
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, key) as opened:
                    return [winreg.EnumKey(opened, index) for index in range(winreg.QueryInfoKey(opened)[0])]
            except OSError:
                return []
