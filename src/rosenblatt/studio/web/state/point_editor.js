// Changes of the points: drawn at once, learned from as soon as the answer comes.

// Points as Python would number their classes; `classes` are known already.
export function localPoints({columns, rows}, classes) {
	const all = classes.slice();
	const labels = rows.map(([, , label]) => {
		if (!all.includes(label)) all.push(label);
		return all.indexOf(label);
	});
	return {
		columns: columns ?? ["x", "y"],
		rows: rows.map((row) => row.slice(0, 2)),
		labels,
		classes: all,
		features: columns ?? ["x", "y"],
		mapped: null,
	};
}

export class PointEditor {
	constructor(studio) {
		this.studio = studio;
		[this.brush, this.selected] = [1, null];
		// Classes that stay at hand though none of the points is theirs.
		this.newClasses = new Set();
	}

	// Other points are shown: the brush keeps its class if there still is one of that name.
	follow({classes, rows}, brushed) {
		const place = classes.indexOf(brushed);
		this.brush = Math.max(0, place < 0 ? classes.length - 1 : place);
		if (this.selected !== null && this.selected >= rows.length) this.selected = null;
	}

	editRows(edit, {keep = false} = {}) {
		const {studio} = this;
		const {points} = studio;
		if (!studio.editable) return;
		const rows = points.rows.map(([x, y], i) => [x, y, points.classes[points.labels[i]]]);
		edit(rows);
		const data = {columns: points.columns, rows};
		if (!keep) studio.remember();
		studio.state.data = data;
		studio.setPoints(localPoints(data, points.classes));
		studio.stale = true;
		studio.growBox();
		studio.stage.palette.fill();
		studio.redraw();
		studio.run();
	}

	addPoint(x, y) {
		const {studio} = this;
		const {label} = studio.marks[this.brush];
		this.selected = studio.points.rows.length;
		this.editRows((rows) => rows.push([x, y, label]));
		studio.pointTable.fill();
		const {name} = studio.marks[this.brush];
		studio.say(`Added point ${studio.points.rows.length}, class ${name}.`);
	}

	movePoint(row, x, y, {first = true} = {}) {
		if (!this.studio.points.rows[row]) return;
		const move = (rows) => {
			rows[row] = [x, y, rows[row][2]];
		};
		this.editRows(move, {keep: !first});
	}

	recolour(row, place) {
		const {points, marks} = this.studio;
		if (!points.rows[row] || !marks[place]) return;
		const {label, name} = marks[place];
		this.editRows((rows) => {
			rows[row] = [rows[row][0], rows[row][1], label];
		});
		this.studio.say(`Point ${row + 1} is now of class ${name}.`);
	}

	removePoint(row) {
		const {studio} = this;
		this.selected = null;
		// The class of the last point of it stays at hand.
		this.newClasses.add(studio.points.classes[studio.points.labels[row]]);
		this.editRows((rows) => rows.splice(row, 1));
		studio.pointTable.fill();
		studio.say(`Removed point ${row + 1}.`);
	}

	addClass(name) {
		const {studio} = this;
		if (!studio.points.classes.includes(name)) {
			this.newClasses.add(name);
			studio.setPoints({...studio.points, classes: [...studio.points.classes, name]});
		}
		this.brushWith(studio.points.classes.indexOf(name));
	}

	brushWith(place) {
		this.brush = place;
		this.studio.stage.palette.fill();
		this.studio.say(`New points are of class ${this.studio.marks[place].name}.`);
		this.studio.redraw();
	}

	select(row) {
		this.selected = row;
		this.studio.stage.palette.fill();
		this.studio.redraw();
	}
}
