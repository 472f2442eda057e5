-- How the window of the disk image looks when it is opened: `osascript arrange.applescript VOLUME`.
-- Places are in points, those of background.svg; 28 are for the title bar.
on run argv
	with timeout of 60 seconds
		tell application "Finder" to tell disk (item 1 of argv)
			open
			set current view of container window to icon view
			set toolbar visible of container window to false
			set statusbar visible of container window to false
			set bounds of container window to {200, 120, 840, 548}
			set look to icon view options of container window
			set arrangement of look to not arranged
			set icon size of look to 112
			set text size of look to 13
			set background picture of look to file ".background:picture.tiff"
			set position of item "Errorflow.app" of container window to {168, 190}
			set position of item "Applications" of container window to {472, 190}
			close
			open -- writes what was set
			update without registering applications
			delay 2
			close
		end tell
	end timeout
end run
