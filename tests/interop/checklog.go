// Checklog reads a log that benchsite serves with the Go project's own packages: sumdb/note for the checkpoint,
// sumdb/tlog for the tiles (C2SP tlog-tiles). It shares no code with benchsite.
//
//	checklog FOLDER VKEY [SIZE=ROOT ...]
//
// FOLDER is the site's log/. The checkpoint must open under VKEY; every entry of the bundles must be included
// in it; and it must be consistent with each older SIZE, whose ROOT is in base64.
package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8

// folder reads tiles from disk, under the names of tlog-tiles: those of the checksum database without the
// height, and "entries" for what it calls "data".
type folder struct {
	path string
	held map[string][]byte
}

func (f *folder) Height() int { return height }

func (f *folder) SaveTiles([]tlog.Tile, [][]byte) {}

func (f *folder) ReadTiles(tiles []tlog.Tile) (all [][]byte, err error) {
	for _, tile := range tiles {
		all = append(all, f.read(tile))
	}
	return all, nil
}

func (f *folder) read(tile tlog.Tile) []byte {
	name := strings.TrimPrefix(tile.Path(), fmt.Sprintf("tile/%d/", height))
	if tile.L < 0 {
		name = "entries/" + strings.TrimPrefix(name, "data/")
	}
	if _, ok := f.held[name]; !ok {
		data, err := os.ReadFile(filepath.Join(f.path, "tile", name))
		must("tile", err)
		f.held[name] = data
	}
	return f.held[name]
}

// entries splits the bundle of a tile: each entry stands behind its length in two bytes, big-endian.
func (f *folder) entries(tile tlog.Tile) (found [][]byte) {
	data := f.read(tile)
	for len(data) > 0 {
		if len(data) < 2 || len(data)-2 < int(binary.BigEndian.Uint16(data)) {
			must("bundle", fmt.Errorf("%d is cut short", tile.N))
		}
		end := 2 + int(binary.BigEndian.Uint16(data))
		found, data = append(found, data[2:end]), data[end:]
	}
	if len(found) != tile.W {
		must("bundle", fmt.Errorf("%d holds %d entries, expected %d", tile.N, len(found), tile.W))
	}
	return found
}

func open(path, vkey string) (tree tlog.Tree) {
	data, err := os.ReadFile(filepath.Join(path, "checkpoint"))
	must("checkpoint", err)
	verifier, err := note.NewVerifier(vkey)
	must("verifier key", err)
	opened, err := note.Open(data, note.VerifierList(verifier))
	must("checkpoint", err)
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 || lines[0] != verifier.Name() {
		must("checkpoint", fmt.Errorf("not three lines that begin with %s", verifier.Name()))
	}
	tree.N, err = strconv.ParseInt(lines[1], 10, 64)
	must("checkpoint", err)
	tree.Hash, err = tlog.ParseHash(lines[2])
	must("checkpoint", err)
	return tree
}

func checkInclusion(tree tlog.Tree, tiles *folder, hashes tlog.HashReader) {
	for first := int64(0); first < tree.N; first += 1 << height {
		tile := tlog.Tile{H: height, L: -1, N: first >> height, W: 1 << height}
		if tree.N-first < 1<<height {
			tile.W = int(tree.N - first)
		}
		for at, entry := range tiles.entries(tile) {
			index := first + int64(at)
			proof, err := tlog.ProveRecord(tree.N, index, hashes)
			must("inclusion", err)
			must("inclusion", tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(entry)))
		}
	}
}

func checkConsistency(tree tlog.Tree, hashes tlog.HashReader, older string) {
	size, root, _ := strings.Cut(older, "=")
	n, err := strconv.ParseInt(size, 10, 64)
	must("older head", err)
	hash, err := tlog.ParseHash(root)
	must("older head", err)
	proof, err := tlog.ProveTree(tree.N, n, hashes)
	must("consistency", err)
	must("consistency", tlog.CheckTree(proof, tree.N, tree.Hash, n, hash))
}

func must(what string, err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
		os.Exit(1)
	}
}

func main() {
	tree := open(os.Args[1], os.Args[2])
	tiles := &folder{os.Args[1], map[string][]byte{}}
	hashes := tlog.TileHashReader(tree, tiles)
	checkInclusion(tree, tiles, hashes)
	for _, older := range os.Args[3:] {
		checkConsistency(tree, hashes, older)
	}
	fmt.Printf("%d entries included, %d older heads consistent\n", tree.N, len(os.Args)-3)
}
