"""All benchmarks, one after the other: ``python -m benchmarks``."""

from benchmarks import anatomy, arm, drag, methods, peers, poser, startup, track

if __name__ == "__main__":
    startup.main()
    track.main([])
    arm.main(10_000)
    peers.main(500)
    drag.main()
    poser.main()
    methods.main([])
    anatomy.main([])
