"""One setting of each scene that MettaGrid's map generator has."""

S = "mettagrid.mapgen.scenes"
ONE = ["uniform", 1, 3]
SOME = ["uniform", 0.01, 0.03]
ROOM = {"type": f"{S}.random.Random.Config", "objects": {"wall": 12, "box": 4}}
PATTERN = "##..#\n#...#\n..#..\n#...#\n##.##\n"
AUTO = {
    "num_agents": 8, "layout": {"grid": 1, "bsp": 1}, "grid": {"rows": ONE, "columns": ONE},
    "bsp": {"area_count": 3}, "room_symmetry": {"none": 1, "horizontal": 1, "vertical": 1, "x4": 1},
    "content": [{"scene": ROOM, "weight": 1}], "objects": {"box": SOME},
    "room_objects": {"wall": SOME},
}  # fmt: skip
CONV = {"pattern": PATTERN, "pattern_size": 3, "iterations": 3, "temperature": 1.0}
CORNERS = [["box", 3], ["crate", 2]]
SCENES = {
    "asteroid_mask.AsteroidMask": {},
    "auto.Auto": AUTO,
    "auto.AutoLayout": {"auto_config": AUTO | {"type": f"{S}.auto.Auto.Config"}},
    "auto.AutoSymmetry": {"auto_config": AUTO | {"type": f"{S}.auto.Auto.Config"}},
    "biome_arena.BiomeArena": {"spawn_count": 8},
    "biome_arena.SequentialBiomeArena": {"spawn_count": 8},
    "biome_caves.BiomeCaves": {},
    "biome_city.BiomeCity": {},
    "biome_desert.BiomeDesert": {},
    "biome_forest.BiomeForest": {},
    "biome_plains.BiomePlains": {},
    "bounded_layout.BoundedLayout": {"max_width": 9, "max_height": 7, "tag": "x"},
    "bsp.BSPLayout": {"area_count": 5},
    "bsp.BSP": {
        "rooms": 5, "min_room_size": 3, "min_room_size_ratio": 0.3, "max_room_size_ratio": 0.7,
    },
    "building_distributions.UniformExtractorScene": {},
    "compound.Compound": {"spawn_count": 8, "stations": ["box", "crate"]},
    "convchain.ConvChain": CONV,
    "convchain.ConvChainSlow": CONV,
    "ensure_hub_reachable_junction.EnsureHubReachableJunction": {},
    "four_corner_compounds.FourCornerCompounds": {},
    "grid_altars.GridHubs": {"objects": {"box": 5}, "agents": 4},
    "inline_ascii.InlineAscii": {"data": "#####\n#.@.#\n#####"},
    "layout.Layout": {"areas": [{"width": 5, "height": 5, "tag": "x"}]},
    "make_connected.MakeConnected": {},
    "map_corner_placements.MapCornerPlacements": {"placements": CORNERS},
    "maze.Maze": {},
    "mean_distance.MeanDistance": {"mean_distance": 4.0, "objects": {"box": 4}},
    "mirror.Mirror": {"scene": ROOM, "symmetry": "x4"},
    "mirror.HorizontalMirror": {"scene": ROOM},
    "mirror.VerticalMirror": {"scene": ROOM},
    "mirror.X4Mirror": {"scene": ROOM},
    "multi_left_and_right.MultiLeftAndRight": {
        "rows": 2, "columns": 2, "hub_ratio": 0.5, "total_hubs": 8,
    },
    "nop.Nop": {},
    "perimeter_placements.PerimeterPlacements": {"placements": CORNERS},
    "radial_maze.RadialMaze": {},
    "random.Random": {"objects": {"wall": 30, "box": 9}, "agents": {"agent": 6}},
    "random_dcss_scene.RandomDcssScene": {"wfc": True, "dcss": False},
    "random_objects.RandomObjects": {"object_ranges": {"box": SOME}},
    "random_scene.RandomScene": {"candidates": [{"scene": ROOM}]},
    "random_transform.RandomTransform": {"scene": ROOM},
    "remove_agents.RemoveAgents": {},
    "room_grid.RoomGrid": {"rows": 2, "columns": 2, "border_width": 1},
    "spiral.Spiral": {"objects": {"box": 6}, "agents": 4, "spacing": 3},
    "varied_terrain.VariedTerrain": {"objects": {"box": 4}, "agents": 4},
    "wfc.WFC": {"pattern": PATTERN},
}  # fmt: skip
# how a scene without its own file is reached, and those that only other scenes make
FILES = {
    "ascii.Ascii": "uri",
    "yaml.YamlScene": "file",
    "random_yaml_scene.RandomYamlScene": "file",
}
INNER = ("copy_grid.CopyGrid", "mirror.Mirrored", "transplant_scene.TransplantScene")
