// The learners that the page offers and their settings, as the library declares them.
let learners = [];

const NONE = {kind: "", title: "", has_weights: false, fields: []};

export function setLearners(list) {
	learners = list ?? [];
}

export function learnerKinds() {
	return learners.map(({kind, title}) => [kind, title]);
}

export function learnerOf(kind) {
	return learners.find((learner) => learner.kind === kind) ?? NONE;
}

export function fieldOf(kind, name) {
	return learnerOf(kind).fields.find((field) => field.name === name);
}
