# SPDX-License-Identifier: Apache-2.0
# Has its work behind the usual guard.
# expect: status="exited" exit=0 success=true exit_code=0 stdout="main\n"
# expect eval: completed=true

def main():
    print("main")


if __name__ == "__main__":
    main()
