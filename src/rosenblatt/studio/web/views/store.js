// What the browser keeps for the page. One that was opened from disk may have no store; then
// nothing is kept.

export function kept(key) {
	try {
		return JSON.parse(localStorage.getItem(key));
	} catch {
		return null;
	}
}

// Null forgets.
export function keep(key, value) {
	try {
		if (value === null) localStorage.removeItem(key);
		else localStorage.setItem(key, JSON.stringify(value));
	} catch {
		// As above.
	}
}
