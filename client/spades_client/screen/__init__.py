"""The table in full screen: screens are pure functions of the state, a skin puts them on a terminal."""
