// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/// A token that transfers like any other, but answers every other call (name, symbol, decimals ...) as configured: with
/// any bytes, a revert, a loop that burns all gas, or a megabyte of zeros. The configuration may change.
contract HostileToken {
    event Transfer(address indexed from, address indexed to, uint256 value);

    enum Manner {
        Bytes,
        Revert,
        Burn,
        Megabyte
    }

    mapping(address => uint256) public balanceOf;
    mapping(bytes4 => Manner) private _manner;
    mapping(bytes4 => bytes) private _answer;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        emit Transfer(msg.sender, to, amount);
        return true;
    }

    function answer(bytes4 selector, Manner manner, bytes calldata data) external {
        _manner[selector] = manner;
        _answer[selector] = data;
    }

    fallback() external {
        Manner manner = _manner[msg.sig];
        if (manner == Manner.Revert) revert("no");
        while (manner == Manner.Burn) {}
        bytes memory data = _answer[msg.sig];
        assembly {
            if eq(manner, 3) {
                return(0, 1000000)
            }
            return(add(data, 32), mload(data))
        }
    }
}
